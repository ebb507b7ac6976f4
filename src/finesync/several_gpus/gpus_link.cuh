// SPDX-License-Identifier: Apache-2.0
// How the root of a GPU adds to release words of other GPUs (gpus_barrier.cuh), as a policy. Here
// by their addresses; where a GPU does not reach the memory of another, a library adds for it
// (nvshmem/gpus_signal_barrier.cuh).
//
// A link is an object of each thread, made of the symmetric memory that has the words. A release
// word is the first of its line, and begins at zero.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/device/platform.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Fences>
class link_by_address {
  using word = cell<std::uint32_t>;
  using crossing = atomic_ref<std::uint32_t, Fences::crossing>;

 public:
  /// What the link needs of symmetric memory.
  static constexpr pieces_reached reach = pieces_reached::all;

  __device__ explicit link_by_address(const symmetric_view&) {}

  /// The word that this thread passes to add(). \param offset of a release word on that GPU.
  __device__ word* find(const symmetric_view& gpus, unsigned gpu, std::size_t offset) {
    return &gpus.at<std::uint32_t>(gpu, offset);
  }
  /// Before this thread adds: releases to all GPUs its writes and what it has acquired.
  __device__ void release() const { Fences::release_to_all(); }
  __device__ void add(word& found, std::uint32_t increment) const {
    crossing(found).fetch_add(increment, memory_order::relaxed);
  }
  /// \param own a release word of this GPU.
  __device__ std::uint32_t load(word& own) const {
    return crossing(own).load(memory_order::relaxed);
  }
  /// After the last load: acquires what those have released that added.
  __device__ void acquire(word& /*own*/) const { Fences::acquire_from_all(); }
};

}  // namespace finesync::inline FINESYNC_ABI
