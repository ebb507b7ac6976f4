// SPDX-License-Identifier: Apache-2.0
// What a lock of several GPUs hands over with a turn, as a policy of the locks: plain data, ordered
// by fences, or one word, carried in the message that grants the turn.
//
//|  struct held                      of an acquisition
//|  enter_on_gpu(held, word)         after the poll that found a grant of its own GPU
//|  enter_from_all(held, word)       after the poll that found a grant that any GPU may have made
//|  word leave_on_gpu(held)          before a grant to its own GPU
//|  word leave_to_all(held)          before a grant to all GPUs
#pragma once

#include "finesync/several_gpus/gpus_fences.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// All that the last holder did: a release fence before the grant, an acquire fence after it. Of
/// device scope within a GPU, of system scope between GPUs: there they include what earlier holders
/// of the GPU did (cumulativity).
template <class Fences = gpus_fences>
struct fenced_data {
  static constexpr bool carries = false;

  struct held {};

  __device__ static void enter_on_gpu(held&, std::uint32_t) { Fences::acquire(); }
  __device__ static void enter_from_all(held&, std::uint32_t) { Fences::acquire_from_all(); }
  __device__ static std::uint32_t leave_on_gpu(const held&) {
    Fences::release();
    return 0;
  }
  __device__ static std::uint32_t leave_to_all(const held&) {
    Fences::release_to_all();
    return 0;
  }
};

/// The word alone, and no fence: acquisition::value is what the last holder left.
struct carried_word {
  static constexpr bool carries = true;

  struct held {
    std::uint32_t value = 0;
  };

  __device__ static void enter_on_gpu(held& mine, std::uint32_t word) { mine.value = word; }
  __device__ static void enter_from_all(held& mine, std::uint32_t word) { mine.value = word; }
  __device__ static std::uint32_t leave_on_gpu(const held& mine) { return mine.value; }
  __device__ static std::uint32_t leave_to_all(const held& mine) { return mine.value; }
};

}  // namespace finesync::inline FINESYNC_ABI
