// The kernel: rounds of barriers of teams, and what the blocks do in between.
#pragma once

#include "formation.hpp"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/watchdog.cuh>

#include <cstdint>

namespace finesync::team {

/// Nothing.
class idle {
 public:
  __device__ void before(std::uint32_t) {}
  __device__ void after(std::uint32_t, unsigned) {}
  __device__ void finish() const {}
};

/// Every thread writes a word before the barrier and reads that of the next member after it. Four
/// sets of words in turn: where rows and columns cross, a team of the same kind has met in between.
class exchange {
 public:
  exchange(cell<std::uint32_t>* words, cell<std::uint64_t>* stale) : words_(words), stale_(stale) {}

  __device__ void before(std::uint32_t round) {
    word(round, blockIdx.x) = stamp(round, blockIdx.x);
  }
  /// \param from the block whose word this one reads.
  __device__ void after(std::uint32_t round, unsigned from) {
    found_stale_ += word(round, from) != stamp(round, from);
  }
  __device__ void finish() const {
    if (found_stale_ == 0) return;
    atomic_ref<std::uint64_t, scope::device>(*stale_).fetch_add(found_stale_,
                                                                memory_order::relaxed);
  }

 private:
  __device__ cell<std::uint32_t>& word(std::uint32_t round, unsigned block) const {
    return words_[((round % 4) * gridDim.x + block) * blockDim.x + threadIdx.x];
  }
  __device__ static std::uint32_t stamp(std::uint32_t round, unsigned block) {
    return round * 1000003u + block * blockDim.x + threadIdx.x;
  }

  cell<std::uint32_t>* words_;
  cell<std::uint64_t>* stale_;
  std::uint32_t found_stale_ = 0;
};

/// \tparam Crossing whether odd rounds are those of the columns.
/// \param passed sum over the blocks of the barriers that they passed.
template <bool Crossing, class TeamsRef, class Work>
__global__ void __launch_bounds__(1024, 1)
    pass_rounds(TeamsRef teams, formation how, std::uint32_t rounds, Work work,
                cell<std::uint64_t>* passed, watchdog_ref watchdog) {
  assume_one_dimension();
  if (blockIdx.x >= how.blocks()) return;
  auto row = teams.join(how.row_of(blockIdx.x), watchdog);
  auto column = Crossing ? teams.join(how.column_of(blockIdx.x), watchdog) : row;
  std::uint32_t round = 0;
  for (; round < rounds; ++round) {
    work.before(round);
    if (!row.wait()) break;
    work.after(round, how.next_in_row(blockIdx.x));
    if constexpr (Crossing) {
      if (++round == rounds) break;
      work.before(round);
      if (!column.wait()) break;
      work.after(round, how.next_in_column(blockIdx.x));
    }
  }
  work.finish();
  if (threadIdx.x == 0)
    atomic_ref<std::uint64_t, scope::device>(*passed).fetch_add(round, memory_order::relaxed);
}

}  // namespace finesync::team
