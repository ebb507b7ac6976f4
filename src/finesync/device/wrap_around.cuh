// SPDX-License-Identifier: Apache-2.0
// Comparison of words that only grow, and may wrap around.
#pragma once

#include "finesync/device/platform.cuh"

#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// Whether a word that only grows has reached `target`, modulo wrap-around: the two are never half
/// of the word's values apart.
template <class Word>
__device__ bool has_reached(Word word, Word target) {
  return static_cast<std::make_signed_t<Word>>(word - target) >= 0;
}

}  // namespace finesync::inline FINESYNC_ABI
