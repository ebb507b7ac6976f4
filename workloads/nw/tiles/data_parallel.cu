#include "diagonal_experiment.hpp"

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch_graph.cuh>
#include <workloads/nw/matrix/recurrence.cuh>

#include <memory>
#include <type_traits>

namespace finesync::nw {

namespace {

// Rodinia's structure: a launch for each diagonal of tiles, and a block for each tile with a thread
// per column. Within a tile there is a barrier for each diagonal of cells. Rodinia's tiles have 16
// columns; its shared arrays are padded here to avoid bank conflicts within a diagonal.

struct letter_similarities {
  __device__ std::int32_t at(const task& what, unsigned i, unsigned j) const {
    return similarity_at(what, i, j);
  }
};

/// Similarities read from a matrix made before the run, as in Rodinia.
struct table_similarities {
  const std::int32_t* table;

  __device__ std::int32_t at(const task& what, unsigned i, unsigned j) const {
    return table[std::size_t{i - 1} * what.scores.columns + (j - 1)];
  }
};

__global__ void make_table(task what, cell<std::int32_t>* table) {
  assume_one_dimension();
  for (unsigned i = 1 + blockIdx.x; i <= what.scores.rows; i += gridDim.x)
    for (unsigned j = 1 + threadIdx.x; j <= what.scores.columns; j += blockDim.x)
      table[std::size_t{i - 1} * what.scores.columns + (j - 1)] = similarity_at(what, i, j);
}

template <unsigned Side>
struct tile_memory {
  cell<std::int32_t> scores[Side + 1][Side + 2];  ///< with the row above and the column before
  cell<std::int32_t> similarities[Side][Side];
};

template <class Similarities, unsigned Side>
__global__ void __launch_bounds__(Side)
    fill_tiles_by_barriers(task what, Similarities similarities, tile_diagonal diagonal) {
  assume_one_dimension();
  auto& memory = shared_storage<tile_memory<Side>>();
  const score_matrix_ref& scores = what.scores;
  const unsigned top = (diagonal.first.row - blockIdx.x) * Side;
  const unsigned left = (diagonal.first.column + blockIdx.x) * Side;
  const unsigned rows = scores.rows - top < Side ? scores.rows - top : Side;
  const unsigned columns = scores.columns - left < Side ? scores.columns - left : Side;
  const unsigned x = threadIdx.x;

  if (x < columns) {
    memory.scores[0][x + 1] = scores.at(top, left + 1 + x);
    for (unsigned y = 0; y < rows; ++y)
      memory.similarities[y][x] = similarities.at(what, top + 1 + y, left + 1 + x);
  }
  if (x < rows) memory.scores[x + 1][0] = scores.at(top + 1 + x, left);
  if (x == 0) memory.scores[0][0] = scores.at(top, left);
  __syncthreads();
  for (unsigned step = 0; step < rows + columns - 1; ++step) {
    const unsigned y = step - x;  // wraps if this column has not begun
    if (y < rows && x < columns)
      memory.scores[y + 1][x + 1] =
          score_of(memory.scores[y][x], memory.scores[y][x + 1], memory.scores[y + 1][x],
                   memory.similarities[y][x], what.gap);
    __syncthreads();
  }
  if (x < columns)
    for (unsigned y = 0; y < rows; ++y)
      scores.at(top + 1 + y, left + 1 + x) = memory.scores[y + 1][x + 1];
}

/// How the launches are queued.
enum class queueing { one_by_one, as_graph };

template <class Similarities, unsigned Side>
class data_parallel_experiment final : public diagonal_experiment {
  static constexpr bool has_table = std::is_same_v<Similarities, table_similarities>;

 public:
  data_parallel_experiment(const run_config& config, queueing queued)
      : diagonal_experiment(config, Side), queued_(queued) {
    if constexpr (has_table) {
      const score_matrix_ref scores = what().scores;
      table_ = buffer<std::int32_t>(std::size_t{scores.rows} * scores.columns);
      table_.keep();
      const auto most = 16 * static_cast<unsigned>(current_gpu().sms);
      launch_independent(make_table,
                         {.blocks = std::min(scores.rows, most), .threads_per_block = 256}, what(),
                         table_.device_data());
    }
    if (queued_ == queueing::as_graph)
      tiles().each_diagonal([&](const tile_diagonal& diagonal) {
        launch_independent(graph_, kernel, shape_of(diagonal), what(), similarities(), diagonal);
      });
  }

 protected:
  void start(const task& what) override {
    if (queued_ == queueing::as_graph) return graph_.launch();
    diagonal_experiment::start(what);
  }
  void start_tiles(const task& what, const tile_diagonal& diagonal) override {
    launch_independent(kernel, shape_of(diagonal), what, similarities(), diagonal);
  }
  launch_shape shape_of(const tile_diagonal& diagonal) const override {
    return {.blocks = diagonal.tiles,
            .threads_per_block = Side,
            .shared_bytes = sizeof(tile_memory<Side>)};
  }

 private:
  static constexpr auto kernel = fill_tiles_by_barriers<Similarities, Side>;

  Similarities similarities() const {
    if constexpr (has_table) {
      return {table_.raw_pointer()};
    } else {
      return {};
    }
  }

  queueing queued_;
  buffer<std::int32_t> table_;
  launch_graph graph_;
};

template <unsigned Side>
std::unique_ptr<bench::experiment> of_side(const run_config& config, queueing queued) {
  if (config.from_table)
    return std::make_unique<data_parallel_experiment<table_similarities, Side>>(config, queued);
  return std::make_unique<data_parallel_experiment<letter_similarities, Side>>(config, queued);
}

std::unique_ptr<bench::experiment> made(const run_config& config, queueing queued) {
  switch (config.tile) {
    case 16:
      return of_side<16>(config, queued);
    case 0:
    case 32:
      return of_side<32>(config, queued);
    case 64:
      return of_side<64>(config, queued);
    default:
      throw bench::infeasible("tiles have 16, 32 or 64 rows and columns");
  }
}

}  // namespace

std::unique_ptr<bench::experiment> make_data_parallel(const run_config& config) {
  return made(config, queueing::one_by_one);
}

std::unique_ptr<bench::experiment> make_data_parallel_graph(const run_config& config) {
  return made(config, queueing::as_graph);
}

}  // namespace finesync::nw
