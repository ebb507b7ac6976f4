// A section over two objects: one function object, whatever gives it the two. That may be two
// locks, two full/empty words (full_empty_pair.cuh), servers that lend each other data, one server
// for all (server/service.cuh), or a batch in conflict-free rounds.
//
// Use: section(first, second, argument)
//
//|  answer operator()(Datum& first, Datum& second, const Argument&)
//|                            changes both data, or neither; where answers are wanted, it returns
//|                            one. An argument says what a request wants of its two data. Sections
//|                            of a batch may take the place of their entry in it, too
// What else a mechanism asks of a section, or has a use for, it says itself:
//|  static constexpr Datum busy             a value that no datum ever has
//|  static constexpr Argument no_op       an argument that changes nothing
//|  dry_run(first, second, argument) const what operator() does to the data, and nothing else; of
//|                                          `no_op`, nothing
//|  unsigned run_pair(first, second, argument, argument)
//|                                          two sections of one pair, one after the other; it
//|                                          answers for both, the first in the higher bits
//|  begin_pair(first, second)              before the first section of a pair in a round, for what
//|                                          is the same in all of them
//|  end_pair(first, second)                after the last
#pragma once

#include "finesync/device/platform.cuh"

#include <concepts>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Without an argument it is the section of a thread that has its request at hand.
template <class Section, class Datum, class... Argument>
concept pair_section = requires(Section& section, Datum& datum, const Argument&... argument,
                                std::uint32_t place) {
  section(datum, datum, argument..., place);
}
|| requires(Section& section, Datum& datum, const Argument&... argument) {
  section(datum, datum, argument...);
};

/// Lanes that have no request run the section of `no_op`, and the warp needs no branch.
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

/// Two sections take less time together than one after the other.
template <class Section, class Datum, class Argument>
concept runs_pairs = has_no_op<Section, Argument> &&
    requires(Section section, Datum& datum, Argument argument) {
  { section.run_pair(datum, datum, argument, argument) } -> std::convertible_to<unsigned>;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
