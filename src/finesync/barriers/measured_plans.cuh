// SPDX-License-Identifier: Apache-2.0
// The fastest plans of counter barriers, measured on some GPUs. Each GPU has a file in plans/,
// which scripts/dev/measure_barrier_plans.py writes, and an entry in measured_gpus.
#pragma once

#include "finesync/barriers/counter_plan.cuh"
#include "finesync/host/gpu_properties.hpp"

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace finesync::inline FINESYNC_ABI {

/// The fastest plan found for grids up to this size.
struct measured_plan {
  unsigned blocks;
  unsigned threads_per_block;
  counter_plan plan;
};

/// The plans of one GPU. The order is by threads per block, then by blocks, and there is at least
/// one.
struct plan_table {
  std::string_view name;  ///< in rows of results
  std::span<const measured_plan> plans;
};

struct measured_gpu {
  std::string_view gpu;  ///< its name in CUDA
  double compute_capability;
  int sms;
  std::size_t l2_bytes;
  plan_table table;
};

constexpr bool is_in_order(std::span<const measured_plan> plans) {
  for (std::size_t i = 1; i < plans.size(); ++i) {
    const measured_plan& before = plans[i - 1];
    const measured_plan& after = plans[i];
    if (before.threads_per_block > after.threads_per_block) return false;
    if (before.threads_per_block == after.threads_per_block && before.blocks >= after.blocks)
      return false;
  }
  return !plans.empty();
}

/// \returns the first plan that is large enough for the shape: of those for the smallest block size
/// that is large enough, or else for the largest size. If the grid has more blocks than any of
/// these, the last of them.
constexpr counter_plan plan_for(const plan_table& table, unsigned blocks,
                                unsigned threads_per_block) {
  unsigned size = table.plans.back().threads_per_block;
  for (const measured_plan& each : table.plans) {
    if (each.threads_per_block < threads_per_block) continue;
    size = each.threads_per_block;
    break;
  }
  const measured_plan* best = nullptr;
  for (const measured_plan& each : table.plans) {
    if (each.threads_per_block != size) continue;
    best = &each;
    if (each.blocks >= blocks) break;
  }
  return best->plan;
}

/// \returns the entry for this GPU; if there is none, that of the nearest: by compute capability,
/// then by the number of SMs, then by the size of the L2. The best plan depends mainly on the
/// number of arrivals per line, so another GPU's serves too, though less well.
inline const measured_gpu& nearest_gpu(const gpu_properties& gpu,
                                       std::span<const measured_gpu> known) {
  const double capability = std::strtod(gpu.compute_capability.c_str(), nullptr);
  const auto distance = [&](const measured_gpu& to) {
    const double l2_bytes = static_cast<double>(gpu.l2_bytes) - static_cast<double>(to.l2_bytes);
    return std::tuple(gpu.name != to.gpu, std::abs(capability - to.compute_capability),
                      std::abs(gpu.sms - to.sms), std::abs(l2_bytes));
  };
  const measured_gpu* nearest = &known.front();
  for (const measured_gpu& each : known)
    if (distance(each) < distance(*nearest)) nearest = &each;
  return *nearest;
}

inline constexpr measured_plan nvidia_h200_plans[] = {
#include "finesync/barriers/plans/nvidia-h200.inc"
};
static_assert(is_in_order(nvidia_h200_plans));
inline constexpr measured_plan nvidia_h100_plans[] = {
#include "finesync/barriers/plans/nvidia-h100.inc"
};
static_assert(is_in_order(nvidia_h100_plans));

inline constexpr measured_gpu measured_gpus[] = {
    {"NVIDIA H200", 9.0, 132, 62'914'560, {"nvidia-h200", nvidia_h200_plans}},
    {"NVIDIA H100 80GB HBM3", 9.0, 132, 52'428'800, {"nvidia-h100", nvidia_h100_plans}},
};

/// The plans that serve this GPU best.
inline const plan_table& plans_for(const gpu_properties& gpu) {
  return nearest_gpu(gpu, measured_gpus).table;
}

}  // namespace finesync::inline FINESYNC_ABI
