// Sections that merge: the highest of many bids on each of a few lots. Each block has its own lots
// in shared memory, and adds them to all lots at the end. Explained in docs/library/merging.md; the
// tests compile it for both machines and run it.
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/private_copies/private_copies.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace finesync;

namespace {

constexpr std::uint32_t lots = 100;
constexpr std::uint32_t bids = 50'000;

__host__ __device__ constexpr std::uint32_t lot_of(std::uint32_t i) {
  return i * 7 % lots;
}
__host__ __device__ constexpr std::uint32_t price_of(std::uint32_t i) {
  return 1 + (i * 2654435761u >> 12) % 100'000;
}

// The section: a maximum, in whatever order bids come.
struct highest_bids {
  using argument = std::uint32_t;  // the price
  using word = std::uint32_t;

  cell<std::uint32_t>* highest;  // by lot

  __device__ word identity() const { return 0; }
  template <class Copy>
  __device__ void apply(const Copy& copy, std::uint32_t price) const {
    copy.fetch_max(price, memory_order::relaxed);
  }
  __device__ void merge(std::uint32_t lot, word copy, std::uint32_t /*place*/) const {
    run(lot, copy);
  }
  __device__ void run(std::uint32_t lot, std::uint32_t price) const {
    atomic_ref<std::uint32_t, scope::device>(highest[lot]).fetch_max(price, memory_order::relaxed);
  }
};

__global__ void bid(highest_bids service) {
  const private_copies copies(lots, service, shared_bytes());
  const std::uint32_t threads = grid_blocks() * block_threads();
  for (std::uint32_t i = block_rank() * block_threads() + thread_rank(); i < bids; i += threads)
    copies.run(lot_of(i), price_of(i));
  copies.merge();
}

}  // namespace

int main() {
  buffer<std::uint32_t> highest(lots);
  highest.fill_bytes(0);
  // No block waits for another one, so the launch needs not be cooperative.
  launch_independent(bid,
                     {.blocks = static_cast<unsigned>(current_gpu().sms),
                      .threads_per_block = 256,
                      .shared_bytes = private_copies<highest_bids>::shared_bytes(lots)},
                     highest_bids{highest.device_data()});

  std::vector<std::uint32_t> expected(lots, 0);
  for (std::uint32_t i = 0; i < bids; ++i)
    expected[lot_of(i)] = std::max(expected[lot_of(i)], price_of(i));
  const bool right = highest.to_host() == expected;
  std::printf("%u bids on %u lots: %s\n", bids, lots, right ? "right" : "wrong");
  return right ? 0 : 1;
}
