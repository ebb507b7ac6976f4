// SPDX-License-Identifier: Apache-2.0
// The services that servers run. A *service* is a trivially copyable function object that knows the
// data. Each server thread has a copy, which may keep state. An optional member finish() is called
// once, at the end.
//
// key_service, for server_pool: makes the section of a request for one datum
//|  using argument                       sent with the key; 0 to 24 bytes
//|  operator()(std::uint32_t key, const argument&)
//|                                       the section: section(), or section(cell<owned>&) if the
//|                                       service keeps owned data (owned_data.cuh). Making it must
//|                                       not access memory or have an effect: it is also made
//|                                       without a request
// pair_service, for nested_server_pool and paper_nested_server_pool: is the section over two data
// (multi_object/pair_section.cuh)
//|  using argument                       sent with the two keys; 0 to 20 bytes
//|  using datum                          the datum of a key; 4 or 8 bytes if sent in messages
//|  cell<datum>& home(std::uint32_t key) const
// in_place_service, for paper_nested_server_pool: the same for data of any size, in global memory
//|  using datum                          a handle, such as a pointer: the section reads and writes
//|                                       the datum through it, and leaves the handle as it is
//|  datum home(std::uint32_t key) const
// call_service, for single_server: is the section over two data, and decodes calls
//|  using datum, empty                   an unsigned integer of 32 bits; a value that no datum has
//|  struct call                          the section's argument: `lower` and `higher`, two
//|                                       different data in ascending order; the rest of the call
//|  call unpacked(std::uint64_t packed) const
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/multi_object/pair_section.cuh"
#include "finesync/server/owned_data.cuh"

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

template <class Section, class Service>
concept section_of = requires(const Section section) {
  requires !keeps_owned_data<Service>;
  section();
}
|| requires(const Section section, cell<typename Service::owned>& value) {
  section(value);
};

template <class Service>
concept key_service = std::is_trivially_copyable_v<Service> &&
    requires(Service& made_for, std::uint32_t key, const typename Service::argument argument) {
  { made_for(key, argument) } -> section_of<Service>;
};

template <class Service>
concept pair_service = std::is_trivially_copyable_v<Service> &&
    pair_section<Service, typename Service::datum, typename Service::argument> &&
    requires(const Service& made_for, std::uint32_t key) {
  { made_for.home(key) } -> std::same_as<cell<typename Service::datum>&>;
};

template <class Service>
concept in_place_service = std::is_trivially_copyable_v<Service> &&
    pair_section<Service, typename Service::datum, typename Service::argument> &&
    requires(const Service& made_for, std::uint32_t key) {
  { made_for.home(key) } -> std::same_as<typename Service::datum>;
};

template <class Service>
concept call_service = std::is_trivially_copyable_v<Service> &&
    pair_section<Service, typename Service::datum, typename Service::call> &&
    requires(const Service& made_for, std::uint64_t packed, typename Service::call call) {
  { Service::empty } -> std::convertible_to<typename Service::datum>;
  { made_for.unpacked(packed) } -> std::same_as<typename Service::call>;
  { call.lower } -> std::convertible_to<std::uint32_t>;
  { call.higher } -> std::convertible_to<std::uint32_t>;
};

}  // namespace finesync::inline FINESYNC_ABI
