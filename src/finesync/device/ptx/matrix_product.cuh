// SPDX-License-Identifier: Apache-2.0
// Small matrix products by all lanes of a warp, on the SM's matrix unit if there is one.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Pairwise dot products of eight vectors of 16 elements. Group g of four adjacent lanes holds
/// vector g, and lane p of it the elements `own`, in any order common to all groups. In lane 4 g +
/// p, `products` become the products of vector g with vectors 2 p and 2 p + 1. All lanes of the
/// warp call it.
/// \returns false, with `products` unchanged, if the machine has no such unit.
///
/// The fragments of a double-precision product (PTX ISA, mma.m8n8k4) match this layout if each
/// instruction takes one element from each lane of a group.
__device__ __forceinline__ bool products_of_eight([[maybe_unused]] const float (&own)[4],
                                                  [[maybe_unused]] float (&products)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  double first = 0;
  double second = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const double element = own[k];
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};"
        : "+d"(first), "+d"(second)
        : "d"(element));
  }
  products[0] = static_cast<float>(first);
  products[1] = static_cast<float>(second);
  return true;
#else
  return false;
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
