// Versions with a launch for each diagonal of tiles.
#pragma once

#include "diagonals.hpp"

#include <finesync/host/gpu.cuh>
#include <workloads/common/timing.hpp>
#include <workloads/nw/alignment_experiment.cuh>

namespace finesync::nw {

/// A version defines the launch of one diagonal.
class diagonal_experiment : public alignment_experiment {
 public:
  /// \param side cells along a tile.
  diagonal_experiment(const run_config& config, unsigned side)
      : alignment_experiment(config), tiles_(what().scores, side) {}

  /// The time of the widest launch alone, which ICS'15's table 3 has for its data-parallel and its
  /// tiny-lock version. The cells around its tiles are those of a whole run.
  bench::counters measure() final {
    reset();
    launch();
    const double widest =
        workload::median_seconds([] {}, [&] { start_tiles(what(), tiles_.longest()); });
    bench::expect_ok(verify());
    if (current_gpu().simulated) return {};
    return {{"widest_launch_ns", widest * 1e9}};
  }

 protected:
  /// Queues the launch of a diagonal.
  virtual void start_tiles(const task& what, const tile_diagonal& diagonal) = 0;
  virtual launch_shape shape_of(const tile_diagonal& diagonal) const = 0;

  void start(const task& what) override {
    tiles_.each_diagonal([&](const tile_diagonal& diagonal) { start_tiles(what, diagonal); });
  }
  launch_shape shape() const final { return shape_of(tiles_.longest()); }
  unsigned launches() const final { return tiles_.diagonals(); }

  const tiling& tiles() const { return tiles_; }

 private:
  tiling tiles_;
};

}  // namespace finesync::nw
