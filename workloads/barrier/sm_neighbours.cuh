// The blocks of each SM, by number; only the blocks themselves can find out. SM numbers are those
// of barriers with wait_on_sm().
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/require.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>

#include <cstdint>

namespace finesync::barrier {

/// The blocks of the caller's SM. One thread of every block enlists it; after a grid barrier every
/// thread may read the list.
class sm_neighbours_ref {
 public:
  sm_neighbours_ref(cell<std::uint32_t>* sizes, cell<std::uint32_t>* blocks, unsigned places)
      : sizes_(sizes), blocks_(blocks), places_(places) {}

  __device__ void enlist() const {
    const unsigned sm = sm_slot();
    const atomic_ref<std::uint32_t, scope::device> size(sizes_[sm]);
    const unsigned rank = size.fetch_add(1, memory_order::relaxed);
    require(rank < places_,
            "sm_neighbours: more blocks share an SM's number than were reckoned with");
    blocks_[sm * places_ + rank] = blockIdx.x;
  }
  __device__ unsigned size() const { return sizes_[sm_slot()]; }
  __device__ unsigned block(unsigned rank) const { return blocks_[sm_slot() * places_ + rank]; }

  /// The caller's index among the blocks of its SM.
  __device__ unsigned rank() const {
    unsigned rank = 0;
    while (block(rank) != blockIdx.x && rank + 1 < places_) ++rank;
    return rank;
  }

 private:
  cell<std::uint32_t>* sizes_;
  cell<std::uint32_t>* blocks_;
  unsigned places_;
};

class sm_neighbours {
 public:
  explicit sm_neighbours(const gpu_properties& gpu)
      : places_(static_cast<unsigned>(gpu.max_blocks_per_sm) * sms_per_slot(gpu)),
        sizes_(sm_slots),
        blocks_(sizes_.size() * places_) {
    reset();
  }

  /// Call before every kernel: a block may run on another SM each time. Unused places name block 0,
  /// because a kernel without a barrier reads some of them too early.
  void reset() {
    sizes_.fill_bytes(0);
    blocks_.fill_bytes(0);
  }

  sm_neighbours_ref ref() const { return {sizes_.device_data(), blocks_.device_data(), places_}; }

 private:
  static unsigned sms_per_slot(const gpu_properties& gpu) {
    return (static_cast<unsigned>(gpu.sms) + sm_slots - 1) / sm_slots;
  }

  unsigned places_;
  buffer<std::uint32_t> sizes_;
  buffer<std::uint32_t> blocks_;
};

}  // namespace finesync::barrier
