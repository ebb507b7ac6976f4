// SPDX-License-Identifier: Apache-2.0
// The blocks that are resident, with their clusters, warps, threads and shared memory.
#pragma once

#include <simt/grid_layout.hpp>
#include <simt/launch.hpp>
#include <simt/random.hpp>
#include <simt/thread.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simt {

struct resident_blocks {
  /// \throws std::invalid_argument if the grids, at least one, do not fit on their GPUs.
  resident_blocks(const settings& how, const grid_shape& shape, std::span<const grid_on_gpu> grids,
                  random_source& random);
  resident_blocks(const resident_blocks&) = delete;
  resident_blocks& operator=(const resident_blocks&) = delete;

  /// The next cluster of the grid takes these slots.
  void start(cluster_state& slot, random_source& random);

  bool has_started_all() const { return next_block == layout.blocks(); }
  std::span<std::byte> shared_memory() { return std::as_writable_bytes(std::span(shared_memory_)); }

  std::size_t index_of(const block_state& block) const {
    return static_cast<std::size_t>(&block - blocks.data());
  }
  cluster_state& cluster_of(const block_state& block) {
    return clusters[index_of(block) / grid.cluster_blocks()];
  }
  thread& lane_of(const warp_state& warp, std::uint32_t lane) {
    return threads[static_cast<std::size_t>(&warp - warps.data()) * warp_size + lane];
  }
  const thread& lane_of(const warp_state& warp, std::uint32_t lane) const {
    return const_cast<resident_blocks*>(this)->lane_of(warp, lane);
  }
  std::span<thread> threads_of(const block_state& block) {
    return std::span(threads).subspan(block.first_thread, block.threads);
  }
  /// The slots of all blocks of a cluster.
  std::span<thread> threads_of(const cluster_state& cluster) {
    return std::span(threads).subspan(blocks[cluster.first_slot].first_thread,
                                      std::size_t{grid.cluster_blocks()} * slots_per_block);
  }

  /// The block of `by`'s cluster, live or ended, to whose shared memory all bytes belong; or null.
  block_state* owner_in_cluster(const thread& by, const void* address, std::size_t bytes);

  /// The thread with this number in the launch's block; null if it has ended.
  const thread* find(std::uint32_t block, std::uint32_t number) const;

  /// "block 0, thread 3"
  std::string name_of(const thread& t) const;

  const grid_shape grid;
  const grid_layout layout;
  const std::uint32_t checked;  ///< blocks, the first and the last
  const std::uint32_t threads_per_block;
  const std::uint32_t slots_per_block;  ///< threads rounded up to whole warps
  std::size_t shared_stride = 0;
  std::uint32_t first_async = 0;  ///< slot of a thread
  std::uint32_t next_block = 0;   ///< of the grid
  std::vector<cluster_state> clusters;
  std::vector<block_state> blocks;  ///< clusters one after another
  std::vector<warp_state> warps;
  std::vector<thread> threads;

 private:
  void start(block_state& slot, random_source& random);

  struct alignas(256) shared_line {
    std::array<std::byte, 256> bytes;
  };
  std::vector<shared_line> shared_memory_;
};

}  // namespace simt
