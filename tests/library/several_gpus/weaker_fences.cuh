// Broken twins of gpus_fences, for every barrier of several GPUs that takes its fences as a
// parameter.
#pragma once

#include <finesync/several_gpus/gpus_fences.cuh>

#include <gtest/gtest.h>

namespace finesync::test {

/// Blocks, or a GPU's root, cross the link without a fence.
struct crosses_without_release : gpus_fences {
  __device__ static void release_to_all() {}
};
/// The fence before the link ends at its GPU.
struct crosses_at_device_scope : gpus_fences {
  __device__ static void release_to_all() { fence<memory_order::release, scope::device>(); }
};
/// Blocks go on without acquiring.
struct leaves_without_acquire : gpus_fences {
  __device__ static void acquire_from_all() {}
};
/// Blocks acquire from their own GPU alone.
struct leaves_at_device_scope : gpus_fences {
  __device__ static void acquire_from_all() { fence<memory_order::acquire, scope::device>(); }
};
/// The words that cross the link are words of a GPU.
struct crosses_in_words_of_a_gpu : gpus_fences {
  static constexpr scope crossing = scope::device;
};

/// The fences that weak memory shows with any of these barriers.
using weaker_crossings = ::testing::Types<crosses_without_release, crosses_at_device_scope,
                                          leaves_without_acquire, leaves_at_device_scope>;

}  // namespace finesync::test
