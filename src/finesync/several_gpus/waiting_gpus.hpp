// SPDX-License-Identifier: Apache-2.0
// Who waits for whom on several GPUs, by what the late waits of each have posted
// (host/waiting_blocks.hpp). Host side; needs no CUDA.
#pragma once

#include "finesync/host/waiting_blocks.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// The blocks that wait, by GPU. Where some GPUs wait, one without a waiting block never arrived.
struct waiting_gpus {
  std::vector<waiting_blocks> gpus;
};

/// "GPU 0: 4 blocks wait for the other blocks; GPU 1: 3 blocks wait for the other blocks; block 2
/// never arrived", or "...; GPU 1 never arrived".
inline std::string to_string(const waiting_gpus& all) {
  std::string text;
  for (std::size_t gpu = 0; gpu < all.gpus.size(); ++gpu) {
    text.append(gpu == 0 ? "GPU " : "; GPU ").append(std::to_string(gpu));
    if (all.gpus[gpu].waits.empty())
      text.append(" never arrived");
    else
      text.append(": ").append(to_string(all.gpus[gpu]));
  }
  return text;
}

}  // namespace finesync::inline FINESYNC_ABI
