// SPDX-License-Identifier: Apache-2.0
// The owner of symmetric memory: plain device memory of each GPU, or what the processes that have
// them allocate together (host/gpu_processes.hpp).
#pragma once

#include "finesync/host/buffer.cuh"
#include "finesync/host/error.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Whose pieces kernels load and store: of processes on several hosts, each reaches those of its
/// own.
enum class pieces_reached { all, own };

/// Movable, not copyable; does not outlive its peers. With several processes, all of them destroy
/// it when no kernel uses it.
class symmetric_memory {
 public:
  static_assert(symmetric_view::most == peers::most);

  /// \param words of 4 bytes on each GPU, zero at first.
  /// \param wanted with `own`, a view has null pointers for pieces that are not reached.
  /// \throws std::bad_alloc if the memory of a GPU is used up; launch_error if a piece that is
  /// wanted is not reached, in all processes if some are on other hosts.
  symmetric_memory(const peers& all, std::size_t words, pieces_reached wanted = pieces_reached::all)
      : all_(&all) {
    if (const auto& processes = all.processes()) {
      shared_ = processes->allocate(words * sizeof(std::uint32_t));
      for (unsigned gpu = 0; gpu < all.size(); ++gpu) {
        base_.push_back(shared_->piece(gpu));
        if (base_.back() == nullptr && wanted == pieces_reached::all)
          throw launch_error("GPU " + std::to_string(all.first()) +
                             " does not reach the memory of GPU " + std::to_string(gpu) +
                             " by loads and stores");
      }
      auto* const own = reinterpret_cast<std::uint32_t*>(base_[all.first()]);
      pieces_.push_back(buffer<std::uint32_t>::borrowed(own, words, all.streams()[0]));
    } else {
      for (const stream& each : all.streams()) {
        pieces_.emplace_back(words, each);
        base_.push_back(reinterpret_cast<std::byte*>(pieces_.back().raw_pointer()));
      }
    }
    reset();
  }

  symmetric_view view(unsigned me) const {
    symmetric_view seen{};
    std::copy(base_.begin(), base_.end(), seen.base);
    seen.me = me;
    seen.n = static_cast<unsigned>(base_.size());
    return seen;
  }
  /// \param gpu of this process.
  buffer<std::uint32_t>& piece(unsigned gpu) { return pieces_[gpu - all_->first()]; }
  const buffer<std::uint32_t>& piece(unsigned gpu) const { return pieces_[gpu - all_->first()]; }

  /// Zero everywhere. Waits for all peers: a stream of one does not order what another writes.
  void reset() {
    for (buffer<std::uint32_t>& each : pieces_) each.fill_bytes(0);
    all_->synchronize();
  }

 private:
  const peers* all_;
  std::unique_ptr<pieces_of_processes> shared_;  ///< none if one process has all GPUs
  std::vector<std::byte*> base_;                 ///< of all GPUs, as kernels of this process see it
  std::vector<buffer<std::uint32_t>> pieces_;    ///< of this process's GPUs
};

}  // namespace finesync::inline FINESYNC_ABI
