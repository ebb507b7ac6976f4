// The owner of symmetric memory among the GPUs of one process: plain device memory of each.
#pragma once

#include "finesync/host/buffer.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Movable, not copyable; does not outlive its peers.
class symmetric_memory {
 public:
  static_assert(symmetric_view::most == peers::most);

  /// \param words of 4 bytes on each GPU, zero at first.
  /// \throws std::bad_alloc if the memory of a GPU is used up.
  symmetric_memory(const peers& all, std::size_t words) : all_(&all) {
    for (const stream& each : all.streams()) pieces_.emplace_back(words, each);
    reset();
  }

  symmetric_view view(unsigned me) const {
    symmetric_view seen{};
    for (std::size_t gpu = 0; gpu < pieces_.size(); ++gpu)
      seen.base[gpu] = reinterpret_cast<std::byte*>(pieces_[gpu].raw_pointer());
    seen.me = me;
    seen.n = static_cast<unsigned>(pieces_.size());
    return seen;
  }
  buffer<std::uint32_t>& piece(unsigned gpu) { return pieces_[gpu]; }
  const buffer<std::uint32_t>& piece(unsigned gpu) const { return pieces_[gpu]; }

  /// Zero everywhere. Waits for all peers: a stream of one does not order what another writes.
  void reset() {
    for (buffer<std::uint32_t>& each : pieces_) each.fill_bytes(0);
    all_->synchronize();
  }

 private:
  const peers* all_;
  std::vector<buffer<std::uint32_t>> pieces_;
};

}  // namespace finesync::inline FINESYNC_ABI
