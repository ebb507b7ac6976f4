// Configuration of the stream_k workload at one point of a sweep.
#pragma once

namespace finesync::stream_k {

/// A matrix product whose tiles are sums of `depth` steps. The steps of all tiles are split evenly
/// over the blocks, wherever that cuts a tile (stream-K), and the blocks of a tile that is cut add
/// up their sums: the fix-up. A run is several products, and an operation is one.
///
/// Factors are small whole numbers, so that sums are exact in any order. Each product of a run has
/// an output of its own, and the host compares every value of each.
struct run_config {
  unsigned tiles = 100;
  unsigned depth = 512;
  unsigned threads_per_block = 256;
  unsigned blocks_per_sm = 1;
  unsigned rounds = 10;  ///< products per run
};

}  // namespace finesync::stream_k
