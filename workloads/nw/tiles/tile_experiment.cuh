// A launch for each diagonal of tiles, as in data_parallel.cu, and a thread for each cell of a tile
// (ICS'15, Listings 14 and 15).
#pragma once

#include "cell_threads.cuh"
#include "diagonal_experiment.hpp"
#include "tile_tokens.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/gpu.cuh>

#include <memory>

namespace finesync::nw {

/// \tparam Tokens tokens of a tile (tile_tokens.cuh).
template <class Tokens>
__global__ void __launch_bounds__(Tokens::threads)
    fill_tiles_by_tokens(task what, tile_diagonal diagonal, watchdog_ref watchdog) {
  assume_one_dimension();
  const cell_of_thread<Tokens::side> own(
      {diagonal.first.row - blockIdx.x, diagonal.first.column + blockIdx.x});
  const bool is_in = own.is_in(what.scores);
  Tokens tokens(shared_bytes());

  tokens.open();
  if (own.is_around() && is_in) tokens.give(what.scores.at(own.i, own.j));
  const std::int32_t similarity = own.similarity(what);
  __syncthreads();
  if (own.is_around() || !is_in) return;
  std::int32_t score = 0;
  const auto compute = [&](std::uint32_t north_west, std::uint32_t north, std::uint32_t west) {
    score = score_of(static_cast<std::int32_t>(north_west), static_cast<std::int32_t>(north),
                     static_cast<std::int32_t>(west), similarity, what.gap);
    tokens.give(score);
  };
  if (tokens.fire(watchdog, compute)) what.scores.at(own.i, own.j) = score;
}

template <class Tokens>
class tile_experiment final : public diagonal_experiment {
 public:
  explicit tile_experiment(const run_config& config)
      : diagonal_experiment(config, Tokens::side - 1) {}

  bench::parameters effective_parameters() const override {
    bench::parameters effective = diagonal_experiment::effective_parameters();
    workload::add_parameter(effective, "shared_bytes", static_cast<unsigned>(Tokens::bytes));
    return effective;
  }

 protected:
  void start_tiles(const task& what, const tile_diagonal& diagonal) override {
    launch_independent(fill_tiles_by_tokens<Tokens>, shape_of(diagonal), what, diagonal, timeout());
  }
  launch_shape shape_of(const tile_diagonal& diagonal) const override {
    return {.blocks = diagonal.tiles,
            .threads_per_block = Tokens::threads,
            .shared_bytes = Tokens::bytes};
  }
};

/// Makes the experiment with tiles as configured. \tparam Tokens shared_tokens or private_tokens of
/// some channels.
template <class Tokens>
std::unique_ptr<bench::experiment> tiles_with(const run_config& config) {
  return with_side(
      config.tile, static_cast<unsigned>(current_gpu().max_threads_per_sm),
      [&]<unsigned Side>() -> std::unique_ptr<bench::experiment> {
        return std::make_unique<tile_experiment<typename Tokens::template of_tile<Side>>>(config);
      });
}

}  // namespace finesync::nw
