#include "score_matrix.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/nw/matrix/recurrence.cuh>

#include <algorithm>

namespace finesync::nw {

namespace {

constexpr unsigned line_words = 32;
constexpr unsigned threads = 256;

launch_shape shape_for(std::size_t elements) {
  const std::size_t blocks = (elements + threads - 1) / threads;
  const auto most = static_cast<std::size_t>(current_gpu().sms) * 16;
  return {.blocks = static_cast<unsigned>(std::clamp<std::size_t>(blocks, 1, most)),
          .threads_per_block = threads};
}

__device__ std::size_t first_element() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::size_t all_threads() {
  return std::size_t{gridDim.x} * blockDim.x;
}

__device__ std::int32_t border(unsigned place, std::int32_t gap) {
  return -static_cast<std::int32_t>(place) * gap;
}

__global__ void write_borders(score_matrix_ref scores, std::int32_t gap) {
  assume_one_dimension();
  for (std::size_t k = first_element(); k <= scores.rows; k += all_threads())
    scores.at(static_cast<unsigned>(k), 0) = border(static_cast<unsigned>(k), gap);
  for (std::size_t k = first_element() + 1; k <= scores.columns; k += all_threads())
    scores.at(0, static_cast<unsigned>(k)) = border(static_cast<unsigned>(k), gap);
}

/// The correct value of at(i, j).
__device__ std::int32_t expected(const task& what, unsigned i, unsigned j) {
  if (i == 0 || j == 0) return border(i + j, what.gap);
  const score_matrix_ref& scores = what.scores;
  return score_of(scores.at(i - 1, j - 1), scores.at(i - 1, j), scores.at(i, j - 1),
                  similarity_at(what, i, j), what.gap);
}

/// Checks all words of the buffer; `before` words precede at(0, 0).
__global__ void count_wrong(task what, std::size_t before, std::size_t words,
                            cell<std::uint64_t>* wrong) {
  assume_one_dimension();
  const score_matrix_ref& scores = what.scores;
  const cell<std::int32_t>* const all = scores.origin - before;
  std::uint64_t found = 0;
  for (std::size_t k = first_element(); k < words; k += all_threads()) {
    const std::size_t place = k - before;  // wraps for the words before at(0, 0)
    const std::size_t i = place / scores.pitch;
    const std::size_t j = place % scores.pitch;
    const bool is_cell = k >= before && i <= scores.rows && j <= scores.columns;
    const std::int32_t right =
        is_cell ? expected(what, static_cast<unsigned>(i), static_cast<unsigned>(j)) : unwritten;
    if (all[k] != right) ++found;
  }
  if (found != 0)
    atomic_ref<std::uint64_t, scope::device>(*wrong).fetch_add(found, memory_order::relaxed);
}

/// One row per block. \param sums, last_column values of all rows from 0; sums are initially 0.
__global__ void sum_rows(score_matrix_ref scores, cell<std::int64_t>* sums,
                         cell<std::int32_t>* last_column) {
  assume_one_dimension();
  for (unsigned i = blockIdx.x; i <= scores.rows; i += gridDim.x) {
    std::int64_t sum = 0;
    for (unsigned j = 1 + threadIdx.x; j <= scores.columns; j += blockDim.x)
      sum += std::int32_t{scores.at(i, j)};
    atomic_ref<std::int64_t, scope::device>(sums[i]).fetch_add(sum, memory_order::relaxed);
    if (threadIdx.x == 0) last_column[i] = scores.at(i, scores.columns);
  }
}

__global__ void copy_last_row(score_matrix_ref scores, cell<std::int32_t>* to) {
  assume_one_dimension();
  for (std::size_t j = first_element(); j <= scores.columns; j += all_threads())
    to[j] = scores.at(scores.rows, static_cast<unsigned>(j));
}

std::size_t words_of(unsigned columns, pitch row_pitch) {
  const std::size_t words = std::size_t{columns} + 1;
  return row_pitch == pitch::packed ? words : (words + line_words - 1) / line_words * line_words;
}

}  // namespace

// A cache line before the matrix and one after it stay unwritten. Device memory begins on a line.
score_matrix::score_matrix(unsigned rows, unsigned columns, pitch row_pitch)
    : rows_(rows),
      columns_(columns),
      pitch_(words_of(columns, row_pitch)),
      before_(row_pitch == pitch::packed ? line_words : 2 * line_words - 1),
      words_(before_ + (std::size_t{rows} + 1) * pitch_ + line_words) {}

void score_matrix::clear(std::int32_t gap) {
  words_.fill_bytes(static_cast<std::uint8_t>(unwritten));
  launch_independent(write_borders, shape_for(std::max(rows_, columns_)), ref(), gap);
}

score_matrix_ref score_matrix::ref() const {
  return {words_.device_data() + before_, pitch_, rows_, columns_};
}

std::vector<std::int32_t> score_matrix::to_host() const {
  const std::vector<std::int32_t> words = words_.to_host();
  std::vector<std::int32_t> cells;
  cells.reserve((std::size_t{rows_} + 1) * (columns_ + 1));
  for (std::size_t i = 0; i <= rows_; ++i) {
    const auto row = words.begin() + static_cast<std::ptrdiff_t>(before_ + i * pitch_);
    cells.insert(cells.end(), row, row + columns_ + 1);
  }
  return cells;
}

std::optional<std::size_t> score_matrix::first_other_than(std::span<const std::int32_t> right,
                                                          std::vector<std::int32_t>& words) const {
  words.resize(words_.size());
  words_.copy_to(words);
  const std::size_t columns = std::size_t{columns_} + 1;
  for (std::size_t i = 0; i <= rows_; ++i) {
    const auto expected = right.subspan(i * columns, columns);
    const auto found = std::span(words).subspan(before_ + i * pitch_, columns);
    if (std::ranges::equal(expected, found)) continue;
    const auto other = std::ranges::mismatch(expected, found).in1;
    return i * columns + static_cast<std::size_t>(other - expected.begin());
  }
  return std::nullopt;
}

matrix_summary score_matrix::summary() const {
  auto sums = buffer<std::int64_t>::zeroed(std::size_t{rows_} + 1);
  const buffer<std::int32_t> last_column(sums.size());
  const buffer<std::int32_t> last_row(std::size_t{columns_} + 1);
  launch_independent(sum_rows, shape_for(std::size_t{rows_} * threads), ref(), sums.device_data(),
                     last_column.device_data());
  launch_independent(copy_last_row, shape_for(columns_), ref(), last_row.device_data());
  return {last_row.to_host(), last_column.to_host(), sums.to_host()};
}

std::uint64_t score_matrix::wrong_words(const task& what) const {
  auto wrong = buffer<std::uint64_t>::zeroed(1);
  launch_independent(count_wrong, shape_for(words_.size()), what, before_, words_.size(),
                     wrong.device_data());
  return wrong.to_host()[0];
}

}  // namespace finesync::nw
