// SPDX-License-Identifier: Apache-2.0
// Lines for hot words on each GPU of a process, chosen by their place in its L2, as
// fastest_lines() searches for them (line_search.cuh). Several processes may try different lines:
// each trial is one of all GPUs together, so they keep the same ones.
#pragma once

#include "finesync/device/l2_lines.cuh"
#include "finesync/host/gpu.cuh"
#include "finesync/host/l2_lines.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

class gpus_lines {
 public:
  using selection = std::vector<l2_lines::selection>;

  gpus_lines(const peers& all, unsigned per_side, symmetric_memory& memory) {
    for (unsigned own = 0; own < all.streams().size(); ++own) {
      const device_guard here(all.streams()[own].device());
      of_gpu_.emplace_back(per_side, memory.piece(all.first() + own));
    }
  }

  auto begin() const { return of_gpu_.begin(); }
  auto end() const { return of_gpu_.end(); }
  l2_lines_ref ref(unsigned own) const { return of_gpu_[own].ref(); }

  void use(const selection& lines) {
    for (std::size_t own = 0; own < lines.size(); ++own) of_gpu_[own].use(lines[own]);
  }

  selection spread(unsigned which) const {
    return of_each([&](const l2_lines& lines) { return lines.spread(which); });
  }
  selection drawn(std::mt19937& random) const {
    return of_each([&](const l2_lines& lines) { return lines.drawn(random); });
  }
  /// Those of one GPU.
  selection changed(selection lines, unsigned others, std::mt19937& random) const {
    const std::size_t own = random() % lines.size();
    lines[own] = of_gpu_[own].changed(std::move(lines[own]), others, random);
    return lines;
  }

  /// Lines that are used on a GPU.
  unsigned count() const { return of_gpu_.front().count(); }

 private:
  template <class Select>
  selection of_each(Select select) const {
    selection all;
    std::transform(begin(), end(), std::back_inserter(all), select);
    return all;
  }

  std::vector<l2_lines> of_gpu_;
};

}  // namespace finesync::inline FINESYNC_ABI
