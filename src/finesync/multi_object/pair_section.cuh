// SPDX-License-Identifier: Apache-2.0
// A section over two objects: one function object for every mechanism that provides the two. The
// mechanism may be two locks, two full/empty words (full_empty_pair.cuh), nested servers, a single
// server (server/service.cuh), or a batch in conflict-free rounds.
//
// Use: section(first, second, argument)
//
//|  reply operator()(Datum& first, Datum& second, const Argument&)
//|                            changes both data, or neither; returns a reply if replies are wanted.
//|                            The argument says what the request does with its two data. A section
//|                            of a batch may also take the place of its entry as a last argument
// Some mechanisms require or use further members, and document them:
//|  static constexpr Datum empty              a reserved value that no datum ever has
//|  static constexpr Argument no_op          an argument that changes nothing
//|  dry_run(first, second, argument) const   has only the effect of operator() on the data; with
//|                                           `no_op`, none
//|  unsigned run_pair(first, second, argument, argument)
//|                                           two sections of one pair, one after the other; returns
//|                                           both replies, the first in the higher bits
//|  begin_pair(first, second)                called before the first section of a pair in a round,
//|                                           for work that its sections share
//|  end_pair(first, second)                  called after the last
#pragma once

#include "finesync/device/platform.cuh"

#include <concepts>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Without an argument: the section of a thread that already has its request.
template <class Section, class Datum, class... Argument>
concept pair_section = requires(Section& section, Datum& datum, const Argument&... argument,
                                std::uint32_t place) {
  section(datum, datum, argument..., place);
}
|| requires(Section& section, Datum& datum, const Argument&... argument) {
  section(datum, datum, argument...);
};

/// Lanes without a request run the section of `no_op`, so the warp needs no branch.
template <class Section, class Argument>
concept has_no_op = requires {
  { Section::no_op } -> std::convertible_to<Argument>;
};

/// Lanes that want the same datum may run together (warp_combined_sections.cuh).
template <class Section, class Datum, class Argument>
concept can_be_combined = has_no_op<Section, Argument> &&
    requires(const Section section, Datum& datum, const Argument argument) {
  section.dry_run(datum, datum, argument);
};

/// Two sections take less time in one call than in two.
template <class Section, class Datum, class Argument>
concept runs_pairs = has_no_op<Section, Argument> &&
    requires(Section section, Datum& datum, Argument argument) {
  { section.run_pair(datum, datum, argument, argument) } -> std::convertible_to<unsigned>;
};

}  // namespace finesync::inline FINESYNC_ABI
