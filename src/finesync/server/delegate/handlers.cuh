// The server's side of delegation lines: warps that run sections, and as many that fetch calls for
// them and bring answers back. Each pair of them shares a stretch of shared memory, a
// column per lane. The contract: delegate/server_grid.cuh.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/delegate/lines.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {
namespace detail {

/// Rows of 32 words between a fetching and a running warp, used in turn. A word is a call that
/// waits for its section, its highest bit set, or else an answer, or nothing yet. The one warp
/// writes a word only where that bit is clear, the other where it is set, and it is all that they
/// exchange: relaxed accesses do.
class call_rows {
 public:
  static constexpr std::uint64_t waits = std::uint64_t{1} << 63;
  using word = atomic_ref<std::uint64_t, scope::block>;

  __host__ __device__ static constexpr std::size_t shared_bytes(unsigned rows) {
    return rows * delegation_lines::width * sizeof(std::uint64_t);
  }

  /// \param rows a power of two, up to 32.
  __device__ call_rows(unsigned rows, unsigned char* shared)
      : mask_(rows - 1), words_(reinterpret_cast<cell<std::uint64_t>*>(shared)) {}

  /// The lane's word of row `number`, counted since the start.
  __device__ word at(std::uint32_t number) const {
    return word(words_[(number & mask_) * delegation_lines::width + lane_id()]);
  }
  __device__ unsigned rows() const { return mask_ + 1; }
  __device__ unsigned slot(std::uint32_t number) const { return number & mask_; }

 private:
  unsigned mask_;
  cell<std::uint64_t>* words_;
};

/// How many of the fetching warps are done.
class done_count {
 public:
  __device__ done_count(cell<std::uint32_t>& done, unsigned fetching_warps)
      : done_(done), fetching_warps_(fetching_warps) {}

  __device__ void count() const { done_.fetch_add(1, memory_order::relaxed); }
  __device__ bool is_complete() const {
    return done_.load(memory_order::relaxed) == fetching_warps_;
  }

 private:
  atomic_ref<std::uint32_t, scope::block> done_;
  unsigned fetching_warps_;
};

/// Runs the sections of one column per lane, in the order of its calls.
/// \tparam Pair how two data are taken (locks/word_pair.cuh).
template <class Service, class Pair>
class call_runner {
 public:
  using datum = typename Service::datum;

  __device__ call_runner(const Service& service, cell<datum>* data, const call_rows& rows)
      : service_(service), data_(data), rows_(rows) {}

  /// Until nobody fetches any more.
  __device__ void run(const done_count& fetching) {
    constexpr unsigned tries_together = 16;
    do {
      for (unsigned i = 0; i < tries_together; ++i) {
        try_once();
        __syncwarp();  // otherwise lanes that were refused once would go their own way from there
                       // on
      }
    } while (__any_sync(0xffffffffu, fetching.is_complete()) == 0);  // together
  }

 private:
  __device__ void try_once() {
    // The call behind this one is on its way while this one is tried.
    const std::uint64_t next = rows_.at(row_ + (has_call_ ? 1 : 0)).load(memory_order::relaxed);
    if (has_call_) {
      const std::uint64_t call = call_ & delegation_lines::call_mask;
      std::uint32_t result = 0;
      Pair data(data_[places_.first], data_[places_.second]);
      if (data.try_update(
              [&](datum& first, datum& second) { result = service_(first, second, call); }))
        answer(result);
    }
    if (!has_call_ && (next & call_rows::waits) != 0) take(next);
  }

  __device__ void take(std::uint64_t call) {
    call_ = call;
    if ((call & delegation_lines::call_mask) == 0) {
      answer(0);  // a lane that asks nothing
      return;
    }
    places_ = service_.places_of(call & delegation_lines::call_mask);
    has_call_ = true;
  }
  __device__ void answer(std::uint32_t result) {
    rows_.at(row_).store((call_ & delegation_lines::parity_bit) | result, memory_order::relaxed);
    ++row_;
    has_call_ = false;
  }

  Service service_;
  cell<datum>* data_;
  call_rows rows_;
  std::uint32_t row_ = 0;
  std::uint64_t call_ = 0;
  typename Service::places places_ = {};
  bool has_call_ = false;
};

/// Fetches the calls of some lines, and brings the answers back. What it has asked the L2 for in
/// one pass it looks at in the next.
class line_fetcher {
 public:
  static constexpr unsigned bells_of_a_lane = 4;
  static constexpr unsigned most_lines = 32 * bells_of_a_lane;

  /// \param first, count of the lines.
  __device__ line_fetcher(const delegation_lines& lines, unsigned first, unsigned count,
                          const call_rows& rows, const watchdog_ref& watchdog)
      : lines_(lines),
        rows_(rows),
        wait_(watchdog, awaited::requests),
        first_(first),
        count_(count) {
    for (unsigned b = 0; b < bells_of_a_lane; ++b) {
      bell_[b] = 0;
      chosen_[b] = 0;
    }
    for (fetched& each : fetched_) each = {0, none};
  }

  /// Until all clients have closed their lines, or the watchdog ends it, as nothing comes and goes.
  __device__ void run() {
    while (open_ && !__any_sync(all_lanes, wait_.timed_out())) {
      retire();
      push();
      choose();
      fetch();
    }
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  static constexpr unsigned at_once = 4;
  static constexpr unsigned none = ~0u;

  /// A line whose words are on their way, or wait for a row.
  struct fetched {
    std::uint64_t word;
    unsigned line;  ///< none, or the same in all lanes
  };

  __device__ unsigned line(unsigned bell) const { return 32 * bell + lane_id(); }

  // Answers of the oldest rows, if they are complete, to their clients.
  __device__ void retire() {
    for (unsigned i = 0; i < at_once && begin_ != end_; ++i) {
      const std::uint64_t word = rows_.at(begin_).load(memory_order::relaxed);
      if (__any_sync(all_lanes, (word & call_rows::waits) != 0)) break;
      const unsigned line = __shfl_sync(all_lanes, line_of_slot_, rows_.slot(begin_));
      const std::uint32_t parity = (word & delegation_lines::parity_bit) != 0 ? 0x80000000u : 0;
      lines_.answer(first_ + line)
          .store(static_cast<std::uint32_t>(word) | parity, memory_order::relaxed);
      ++begin_;
      wait_.restart();
    }
  }

  // Calls that have come, to rows that are free.
  __device__ void push() {
    for (fetched& each : fetched_) {
      if (each.line == none || end_ - begin_ == rows_.rows()) continue;
      const bool came = ((each.word & delegation_lines::parity_bit) != 0) == expects(each.line);
      if (!__all_sync(all_lanes, came)) continue;
      rows_.at(end_).store(each.word | call_rows::waits, memory_order::relaxed);
      if (rows_.slot(end_) == lane_id()) line_of_slot_ = each.line;
      ++end_;
      each.line = none;
      wait_.restart();
    }
  }

  // The turn that is fetched of a line has this parity.
  __device__ bool expects(unsigned line) const {
    const unsigned turns = __shfl_sync(all_lanes, turns_, line % 32);
    return (turns >> line / 32 & 1) != 0;
  }

  // Lines that have rung; all of them are fetched before new ones are chosen.
  __device__ void choose() {
    unsigned left = 0;
    for (unsigned b = 0; b < bells_of_a_lane; ++b) left |= chosen_[b];
    if (left == 0) {
      for (unsigned b = 0; b < bells_of_a_lane; ++b)
        chosen_[b] = __ballot_sync(all_lanes, (bell_[b] & 1) != (turns_ >> b & 1));
    }
    bool open = false;
    for (unsigned b = 0; b < bells_of_a_lane; ++b)
      open = open || (line(b) < count_ && (bell_[b] & delegation_lines::closed) == 0);
    open_ = __any_sync(all_lanes, open) != 0;
    for (unsigned b = 0; b < bells_of_a_lane; ++b)
      if (line(b) < count_) bell_[b] = lines_.bell(first_ + line(b)).load(memory_order::relaxed);
  }

  __device__ void fetch() {
    for (fetched& each : fetched_) {
      if (each.line == none) each.line = next_chosen();
      if (each.line != none)
        each.word = lines_.call(first_ + each.line).load(memory_order::relaxed);
    }
  }

  __device__ unsigned next_chosen() {
    unsigned next = none;
    for (unsigned b = 0; b < bells_of_a_lane; ++b) {  // constant indices: these are registers
      if (next != none || chosen_[b] == 0) continue;
      const auto lane = static_cast<unsigned>(__ffs(static_cast<int>(chosen_[b])) - 1);
      chosen_[b] &= chosen_[b] - 1;
      if (lane_id() == lane) turns_ ^= 1u << b;
      next = 32 * b + lane;
    }
    return next;
  }

  delegation_lines lines_;
  call_rows rows_;
  bounded_wait wait_;
  unsigned first_;
  unsigned count_;
  std::uint32_t begin_ = 0;    ///< rows below have gone back
  std::uint32_t end_ = 0;      ///< rows below hold calls, or their answers
  unsigned line_of_slot_ = 0;  ///< lane s knows whose row lies in slot s
  unsigned turns_ = 0;         ///< bit b: the parity of the last turn chosen of line 32 b + lane
  std::uint32_t bell_[bells_of_a_lane];
  unsigned chosen_[bells_of_a_lane];
  fetched fetched_[at_once];
  bool open_ = true;
};

}  // namespace detail
}  // namespace FINESYNC_ABI
}  // namespace finesync
