// SPDX-License-Identifier: Apache-2.0
// Sections that merge, on private copies: each block, or cluster of blocks, has a copy of every
// object in its shared memory, runs its sections there, and adds its copies to the objects at the
// end. No block waits for another of the grid.
//
// Participants: all threads of a set: a block, or the blocks of one cluster.
// Scope: block or cluster for sections, device for merging.
// Ordering: a section is ordered before its copy's merge. Sections of one object are not ordered
//   among each other; the objects are right when the kernel ends.
// Progress: wait-free but for the set's two barriers, at the start and at the end.
// Residency: of the blocks of a set; sets may run one after the other.
// Traffic: a section is one atomic in shared memory, and what the service writes beside it; merging
//   is, for each set and object that was used, what the service does with a copy.
// Fairness: none needed. Reset: none; copies live as long as the kernel.
//
// The keys are known to be less than `keys`, and all copies fit (shared_bytes()); cached_copies.cuh
// takes any keys. Few objects gain the most: merging grows with objects times sets. Larger clusters
// have fewer copies, and sections that cross to other blocks. docs/library/merging.md compares them
// with locks, servers, atomics and sorting.
#pragma once

#include "finesync/device/cluster.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/private_copies/mergeable_service.cuh"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// \tparam Blocks of a set, a power of two. With more than one, launch_shape::cluster_blocks is
/// that number.
template <mergeable_service Service, unsigned Blocks = 1>
class private_copies {
  static_assert(std::has_single_bit(Blocks));
  static_assert(Blocks == 1 || sizeof(typename Service::word) == 4,
                "clusters have atomics on words of 32 bits alone (device/cluster.cuh)");

 public:
  using argument = typename Service::argument;
  using word = typename Service::word;

  /// Whether a section's atomic operation returns something.
  static constexpr bool returns =
      !std::is_void_v<detail::returned_by<Service, atomic_ref<word, scope::block>>>;

  /// Of a set; each has as many.
  __host__ __device__ static constexpr std::uint32_t places(std::uint32_t keys) { return keys; }

  /// Of a block, for that many objects.
  __host__ __device__ static constexpr std::size_t shared_bytes(std::uint32_t keys) {
    return std::size_t{of_a_block(keys)} * sizeof(word);
  }

  /// All threads of the set construct it together, with the same arguments. \param shared memory of
  /// the block, shared_bytes() bytes, aligned to the word.
  __device__ private_copies(std::uint32_t keys, const Service& service, unsigned char* shared)
      : keys_(keys),
        first_place_(set() * keys),
        copies_(reinterpret_cast<cell<word>*>(shared)),
        service_(service) {
    for (std::uint32_t i = thread_rank(); i < of_a_block(keys); i += block_threads())
      copies_[i] = service_.identity();
    meet();
  }

  /// Runs a section. \param key less than `keys`.
  __device__ void run(std::uint32_t key, const argument& with) const {
    const std::uint32_t key_of_one[1] = {key};
    const argument argument_of_one[1] = {with};
    run(key_of_one, argument_of_one);
  }

  /// Runs several sections, which wait for memory at the same time.
  template <unsigned Sections>
  __device__ void run(const std::uint32_t (&keys)[Sections],
                      const argument (&arguments)[Sections]) const {
    if constexpr (std::is_void_v<returned>) {
      for (unsigned i = 0; i < Sections; ++i) service_.apply(copy_of(keys[i]), arguments[i]);
    } else {
      returned found[Sections];
      for (unsigned i = 0; i < Sections; ++i)
        found[i] = service_.apply(copy_of(keys[i]), arguments[i]);
      for (unsigned i = 0; i < Sections; ++i)
        service_.follow(keys[i], arguments[i], found[i], first_place_ + keys[i]);
    }
  }

  /// Adds the copies to the objects. All threads of the set call it once, after their last section.
  __device__ void merge() const {
    meet();
    // Each set starts at another object. A warp's are always of one line, or a few.
    const std::uint32_t mine = of_a_block(keys_);
    const std::uint32_t lines = (mine + 31) / 32;
    const auto first = static_cast<std::uint32_t>(std::uint64_t{set()} * lines / sets()) * 32;
    for (std::uint32_t i = thread_rank(); i < lines * 32; i += block_threads()) {
      const std::uint32_t at = first + i < lines * 32 ? first + i : first + i - lines * 32;
      if (at >= mine) continue;
      const word copy = copies_[at];
      const std::uint32_t key = at * Blocks + (Blocks == 1 ? 0 : cluster_rank());
      if (copy != service_.identity()) service_.merge(key, copy, first_place_ + key);
    }
  }

 private:
  static constexpr scope reach = Blocks == 1 ? scope::block : scope::cluster;
  using copy_ref = atomic_ref<word, reach>;
  using returned = detail::returned_by<Service, copy_ref>;

  /// Objects are dealt to the blocks of a set in turn.
  __host__ __device__ static constexpr std::uint32_t of_a_block(std::uint32_t keys) {
    return keys / Blocks + (keys % Blocks != 0);
  }
  __device__ static std::uint32_t set() { return Blocks == 1 ? block_rank() : cluster_index(); }
  __device__ static std::uint32_t sets() { return grid_blocks() / Blocks; }

  /// Orders memory among the threads of the set.
  __device__ static void meet() {
    if constexpr (Blocks == 1)
      __syncthreads();
    else
      cluster_sync<memory_order::acq_rel>();
  }

  __device__ copy_ref copy_of(std::uint32_t key) const {
    cell<word>& own = copies_[key / Blocks];
    if constexpr (Blocks == 1)
      return copy_ref(own);
    else
      return copy_ref(in_block(own, key % Blocks));
  }

  std::uint32_t keys_;
  std::uint32_t first_place_;
  cell<word>* copies_;
  Service service_;
};

/// Blocks of the set with which copies were fastest for that many objects, one or two; 0 if one
/// atomic operation in memory for each section was. Measured on an H200 with random keys, 16
/// million sections and a block of 1,024 threads per SM (docs/library/merging.md). A section that
/// returns something waits for memory when its copy merges, so that many copies cost more.
template <mergeable_service Service>
constexpr unsigned fastest_set_blocks(std::uint32_t keys) {
  using copies = private_copies<Service>;
  constexpr std::size_t most_shared_bytes = 227 * 1024;  // of a block, from Hopper on
  if (copies::shared_bytes(keys) > most_shared_bytes) return 0;
  if (!copies::returns) return 1;
  return keys <= 22528 ? 1 : 2;
}

template <class Service>
private_copies(std::uint32_t, const Service&, unsigned char*) -> private_copies<Service>;

}  // namespace finesync::inline FINESYNC_ABI
