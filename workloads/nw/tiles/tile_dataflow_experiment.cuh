// One launch: tiles wait for each other cell by cell, and the matrix is the channel.
#pragma once

#include "cell_threads.cuh"
#include "diagonals.hpp"
#include "tile_tokens.cuh"

#include <finesync/dataflow/full_empty_channels.cuh>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <workloads/nw/alignment_experiment.cuh>

#include <algorithm>
#include <vector>

namespace finesync::nw {

/// The cells of the matrix as channels with tokens that are not consumed; an `unwritten` cell has
/// no token. Value and state are one word, so relaxed accesses suffice, as in
/// full_empty_channels.cuh.
class score_channel {
 public:
  __device__ explicit score_channel(cell<std::int32_t>& score) : score_(score) {}
  __device__ void give(std::int32_t score) { score_.store(score, memory_order::relaxed); }
  __device__ bool try_read(std::uint32_t& token) {
    token = static_cast<std::uint32_t>(score_.load(memory_order::relaxed));
    return token != static_cast<std::uint32_t>(unwritten);
  }

 private:
  atomic_ref<std::int32_t, scope::device> score_;
};

/// The parts of this version; tests have broken variants of them.
template <unsigned Side>
struct correct_flow {
  using tokens = shared_tokens<full_empty_channels>::of_tile<Side>;
  using channel = score_channel;
};

/// Tiles in the order of their diagonals, and the index of the next one to take.
struct tile_queue {
  const tile_place* tiles;
  unsigned size;
  cell<std::uint32_t>* next;
};

/// Blocks take tiles in order. A tile waits only for tiles taken earlier, by running blocks, so any
/// number of blocks is correct, resident or not.
template <class Flow>
__global__ void __launch_bounds__(Flow::tokens::threads)
    fill_matrix(task what, tile_queue queue, watchdog_ref watchdog) {
  assume_one_dimension();
  using tokens_of_tile = typename Flow::tokens;
  auto& taken = *reinterpret_cast<cell<std::uint32_t>*>(shared_bytes() + tokens_of_tile::bytes);
  tokens_of_tile tokens(shared_bytes());
  const atomic_ref<std::uint32_t, scope::device> next(*queue.next);

  if (threadIdx.x == 0) taken = next.fetch_add(1, memory_order::relaxed);
  __syncthreads();
  for (std::uint32_t ticket = taken; ticket < queue.size; ticket = taken) {
    const cell_of_thread<tokens_of_tile::side> own(queue.tiles[ticket]);
    tokens.open();
    __syncthreads();
    if (threadIdx.x == 0) taken = next.fetch_add(1, memory_order::relaxed);

    const bool is_in = own.is_in(what.scores);
    const auto score = [&] { return typename Flow::channel(what.scores.at(own.i, own.j)); };
    bool in_time = true;
    if (is_in && own.is_around()) {
      const auto bring_in = [&](std::uint32_t token) {
        tokens.give(static_cast<std::int32_t>(token));
      };
      auto from = score();
      in_time = fire(watchdog, bring_in, from);
    }
    __syncwarp();  // lanes that depend on a loaded cell wait for it anyway
    if (is_in && !own.is_around()) {
      const std::int32_t similarity = similarity_at(what, own.i, own.j);
      const auto compute = [&](std::uint32_t north_west, std::uint32_t north, std::uint32_t west) {
        const std::int32_t found =
            score_of(static_cast<std::int32_t>(north_west), static_cast<std::int32_t>(north),
                     static_cast<std::int32_t>(west), similarity, what.gap);
        tokens.give(found);
        score().give(found);
      };
      in_time = tokens.fire(watchdog, compute);
    }
    if (__syncthreads_or(!in_time)) return;
  }
}

template <class Flow>
class dataflow_experiment final : public alignment_experiment {
  using tokens = typename Flow::tokens;

 public:
  explicit dataflow_experiment(const run_config& config)
      : alignment_experiment(config), tiles_(in_order(tiling(what().scores, tokens::side - 1))) {}

 protected:
  void begin() override { next_.fill_bytes(0); }
  void start(const task& what) override {
    launch_independent(
        fill_matrix<Flow>, shape(), what,
        tile_queue{tiles_.raw_pointer(), static_cast<unsigned>(tiles_.size()), next_.device_data()},
        timeout());
  }
  launch_shape shape() const override { return shape_; }

 private:
  static buffer<tile_place> in_order(const tiling& all) {
    std::vector<tile_place> tiles;
    all.each_diagonal([&](const tile_diagonal& diagonal) {
      for (unsigned k = 0; k < diagonal.tiles; ++k)
        tiles.push_back({diagonal.first.row - k, diagonal.first.column + k});
    });
    buffer<tile_place> on_device(tiles.size());
    on_device.keep_copy_of(tiles);
    return on_device;
  }
  launch_shape shape_for_tiles() const {
    launch_shape shape{.threads_per_block = tokens::threads,
                       .shared_bytes = tokens::bytes + sizeof(std::uint32_t)};
    const unsigned resident =
        max_resident_blocks(fill_matrix<Flow>, shape.threads_per_block, shape.shared_bytes);
    shape.blocks = std::min(static_cast<unsigned>(tiles_.size()), resident);
    return checked(shape);
  }

  buffer<tile_place> tiles_;
  buffer<std::uint32_t> next_{1};
  launch_shape shape_ = shape_for_tiles();
};

}  // namespace finesync::nw
