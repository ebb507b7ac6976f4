// SPDX-License-Identifier: Apache-2.0
// Sections that merge: none needs to see the state that the section before left. A push onto a
// list, a count, a sum, a maximum and "the first of" merge; a withdrawal from an account that must
// not become negative does not, and takes a lock or a server.
//
// mergeable_service: the sections, and the objects that they change. Each thread has a copy of it.
//|  using argument                  of a section
//|  using word                      a copy of an object: std::uint32_t, or, with copies of one
//|                                  block, std::uint64_t
//|  word identity() const           a copy on which no section has run
//|  auto apply(const Copy& copy, argument) const
//|                                  the section on a copy, an atomic_ref<word, ...>: one atomic
//|                                  operation, of relaxed order, since a barrier follows the last.
//|                                  Returns what follow() needs, or nothing
//|  void follow(std::uint32_t key, const argument&, returned, std::uint32_t place) const
//|                                  the rest of the section, in memory that no other section uses.
//|                                  Only if apply() returns something
//|  void merge(std::uint32_t key, word copy, std::uint32_t place) const
//|                                  adds a copy to the object of the key, by atomics of device
//|                                  scope. It sees what follow() wrote in sections of this copy
//|  void run(std::uint32_t key, const argument&) const
//|                                  the section on the object itself, by atomics of device scope
// A `place` names one copy of one object, in all of the grid: below private_copies::places() times
// the number of sets. The programmer promises that the objects are right at the end of the kernel
// however its sections are divided among copies, and in whatever order copies merge.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// What apply() returns on a copy of this type.
template <class Service, class Copy>
using returned_by = decltype(std::declval<const Service&>().apply(
    std::declval<const Copy&>(), std::declval<typename Service::argument>()));

}  // namespace detail

template <class Service>
concept mergeable_service = std::is_trivially_copyable_v<Service> &&
    requires(const Service& made_for, const typename Service::argument argument, std::uint32_t key,
             const atomic_ref<typename Service::word, scope::block>& copy) {
  requires std::is_unsigned_v<typename Service::word>;
  { made_for.identity() } -> std::same_as<typename Service::word>;
  made_for.apply(copy, argument);
  made_for.merge(key, made_for.identity(), key);
  made_for.run(key, argument);
};

}  // namespace finesync::inline FINESYNC_ABI
