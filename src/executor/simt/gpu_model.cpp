// SPDX-License-Identifier: Apache-2.0
#include <simt/gpu_model.hpp>
#include <simt/thread.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace simt {

namespace {
constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
}  // namespace

int gpu_model::blocks_per_sm(int threads_per_block, std::size_t shared_bytes) const {
  if (threads_per_block < 1 || threads_per_block > max_threads_per_block) return 0;
  if (shared_bytes > shared_bytes_per_block) return 0;
  // Threads are allotted in whole warps.
  constexpr int lanes = warp_size;
  const int warps = (threads_per_block + lanes - 1) / lanes;
  int blocks = std::min(max_blocks_per_sm, max_threads_per_sm / (warps * lanes));
  const std::size_t taken = shared_bytes + shared_bytes_reserved;
  if (taken > 0) blocks = std::min(blocks, static_cast<int>(shared_bytes_per_sm / taken));
  return blocks;
}

int gpu_model::max_cluster_blocks() const {
  constexpr int most = 16;
  return std::stod(compute_capability) >= 9.0 ? std::min(most, sms) : 1;
}

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; ASPLOS'19 table 1
// for the GTX 1080 Ti; thesis table 4.1 for the block limits.
const std::vector<gpu_model>& gpu_models() {
  static const std::vector<gpu_model> models = {
      {"small", 4, 512, 8, 1024, 64 * kib, 48 * kib, 1 * kib, 1 * mib, "9.0"},
      {"compact", 4, 1024, 16, 1024, 228 * kib, 227 * kib, 1 * kib, 2 * mib, "9.0"},
      {"gtx1080ti", 28, 2048, 32, 1024, 96 * kib, 48 * kib, 0, 2816 * kib, "6.1"},
      {"titanv", 80, 2048, 32, 1024, 96 * kib, 96 * kib, 0, 4608 * kib, "7.0"},
      {"rtx2080ti", 68, 1024, 16, 1024, 64 * kib, 64 * kib, 0, 5632 * kib, "7.5"},
      {"h100", 132, 2048, 32, 1024, 228 * kib, 227 * kib, 1 * kib, 50 * mib, "9.0"},
      {"h200", 132, 2048, 32, 1024, 228 * kib, 227 * kib, 1 * kib, 60 * mib, "9.0"},
  };
  return models;
}

const gpu_model& find_gpu_model(std::string_view name) {
  std::string known;
  for (const gpu_model& model : gpu_models()) {
    if (model.name == name) return model;
    known += (known.empty() ? "" : ", ") + model.name;
  }
  throw std::invalid_argument(fmt::format("unknown GPU '{}': known are {}", name, known));
}

}  // namespace simt
