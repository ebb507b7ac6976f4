// Sections that merge, for tests: sums, and lists whose every node must be found again.
#pragma once

#include <finesync/device/shared_storage.cuh>
#include <finesync/private_copies/cached_copies.cuh>
#include <finesync/private_copies/private_copies.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test {

inline constexpr std::uint32_t no_item = 0xffffffff;

/// Section i adds i + 1.
struct merging_sums {
  using argument = std::uint32_t;
  using word = std::uint32_t;

  cell<std::uint32_t>* sums;
  cell<std::uint32_t>* unused = nullptr;  // as many members as the others
  cell<std::uint32_t>* unused_too = nullptr;

  __device__ word identity() const { return 0; }
  template <class Copy>
  __device__ void apply(const Copy& copy, std::uint32_t i) const {
    copy.fetch_add(i + 1, memory_order::relaxed);
  }
  __device__ void merge(std::uint32_t key, word copy, std::uint32_t /*place*/) const {
    atomic_ref<std::uint32_t, scope::device>(sums[key]).fetch_add(copy, memory_order::relaxed);
  }
  __device__ void run(std::uint32_t key, std::uint32_t i) const { merge(key, i + 1, 0); }
};

/// Section i pushes item i onto the list of its key.
struct merging_lists {
  using argument = std::uint32_t;
  using word = std::uint32_t;

  cell<std::uint32_t>* first;
  cell<std::uint32_t>* next;
  cell<std::uint32_t>* last;  ///< by place

  __device__ word identity() const { return no_item; }
  template <class Copy>
  __device__ std::uint32_t apply(const Copy& copy, std::uint32_t i) const {
    return copy.exchange(i, memory_order::relaxed);
  }
  __device__ void follow(std::uint32_t /*key*/, std::uint32_t i, std::uint32_t before,
                         std::uint32_t place) const {
    if (before == no_item) last[place] = i;
    next[i] = before;
  }
  __device__ void merge(std::uint32_t key, word copy, std::uint32_t place) const {
    next[last[place]] = pushed(key, copy);
  }
  __device__ void run(std::uint32_t key, std::uint32_t i) const { next[i] = pushed(key, i); }

  __device__ std::uint32_t pushed(std::uint32_t key, std::uint32_t item) const {
    return atomic_ref<std::uint32_t, scope::device>(first[key])
        .exchange(item, memory_order::relaxed);
  }
};

struct merging_load {
  std::uint32_t keys = 5;
  std::uint32_t sections = 90;
  std::uint32_t extent = 5;  ///< of the copies
  launch_shape shape{.blocks = 4, .threads_per_block = 8};

  __host__ __device__ std::uint32_t key_of(std::uint32_t i) const {
    return (i * 2654435761u >> 8) % keys;
  }
};

/// Each thread runs a pair of sections at once, if the copies can, and then others.
template <class Copies, class Service>
__global__ void run_merging(merging_load load, Service service, watchdog_ref /*timeout*/) {
  const Copies copies(load.extent, service, shared_bytes());
  const std::uint32_t threads = grid_blocks() * block_threads();
  std::uint32_t i = block_rank() * block_threads() + thread_rank();
  if constexpr (requires(const std::uint32_t(&two)[2]) { copies.run(two, two); }) {
    const std::uint32_t both[2] = {i, i + threads};
    if (both[1] < load.sections) {
      const std::uint32_t keys[2] = {load.key_of(both[0]), load.key_of(both[1])};
      copies.run(keys, both);
      i += 2 * threads;
    }
  }
  for (; i < load.sections; i += threads) copies.run(load.key_of(i), i);
  copies.merge();
}

/// Whether every section is in the objects exactly once. \tparam Copies a template over the
/// service.
template <template <class> class Copies, class Service>
bool merges_right(merging_load load) {
  load.shape.shared_bytes = Copies<Service>::shared_bytes(load.extent);
  const auto objects = filled_with(std::vector<std::uint32_t>(load.keys, Service{}.identity()));
  const auto next = filled_with(std::vector<std::uint32_t>(load.sections, 12345));
  const auto last = zeroed(std::size_t{Copies<Service>::places(load.extent)} * load.shape.blocks);
  const Service service{objects.device_data(), next.device_data(), last.device_data()};
  if (!ends(run_merging<Copies<Service>, Service>, load.shape, load, service)) return false;
  const auto found = objects.to_host();
  const auto after = next.to_host();
  std::vector<std::uint32_t> expected(load.keys, 0), merged(load.keys, 0);
  for (std::uint32_t i = 0; i < load.sections; ++i) expected[load.key_of(i)] += i + 1;
  for (std::uint32_t key = 0; key < load.keys; ++key) {
    if constexpr (std::is_base_of_v<merging_sums, Service>) {
      merged[key] = found[key];
    } else {
      std::uint32_t left = load.sections;  // a list may have become a ring
      for (std::uint32_t i = found[key]; i != no_item; i = after[i]) {
        if (i >= load.sections || load.key_of(i) != key || left-- == 0) return false;
        merged[key] += i + 1;
      }
    }
  }
  return merged == expected;
}

}  // namespace finesync::test
