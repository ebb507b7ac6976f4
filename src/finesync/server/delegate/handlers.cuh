// The server's side of delegation lines: warps that look at their lines in turn, run the calls that
// have come, and answer. The contract: delegate/server_grid.cuh.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/delegate/lines.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {
namespace detail {

/// What one warp of the server does, for some of the lines.
/// \tparam Pair how two data are taken (locks/word_pair.cuh).
template <class Service, class Pair>
class line_handler {
 public:
  static constexpr unsigned most_lines = 32;  ///< a bit each

  using datum = typename Service::datum;

  /// \param first, count of the lines.
  __device__ line_handler(const delegation_lines& lines, unsigned first, unsigned count,
                          const Service& service, cell<datum>* data, const watchdog_ref& watchdog)
      : words_(lines, first),
        service_(service),
        data_(data),
        wait_(watchdog, awaited::requests),
        count_(count),
        open_(count) {}

  /// Until all clients have closed their lines, or the watchdog ends it.
  __device__ void run() {
    if (open_ == 0) return;
    fetched next = fetch();
    while (true) {
      const fetched now = next;
      next = fetch();  // on its way while this one is looked at
      if (!handle(now)) return;
    }
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;

  struct fetched {
    unsigned line;  ///< the same in all lanes
    std::uint64_t word;
  };

  __device__ fetched fetch() {
    const unsigned line = next_;
    next_ = next_ + 1 == count_ ? 0 : next_ + 1;
    return {line, words_.call(line).load(memory_order::relaxed)};
  }

  /// \returns false when nothing is left to do.
  __device__ bool handle(const fetched& what) {
    const bool parity = (turns_ >> what.line & 1) != 0;
    const bool came = ((what.word & delegation_lines::parity_bit) != 0) == parity;
    if (!__all_sync(all_lanes, came)) return !__any_sync(all_lanes, wait_.timed_out());
    turns_ ^= 1u << what.line;
    wait_.restart();
    if (__any_sync(all_lanes, (what.word & delegation_lines::closed) != 0)) return --open_ != 0;
    std::uint32_t answer = 0;
    if (!run_sections(what.word & delegation_lines::call_mask, answer)) return false;
    words_.answer(what.line).store(answer | (parity ? delegation_lines::answer_parity_bit : 0),
                                   memory_order::relaxed);
    return true;
  }

  /// The sections of all lanes, each as soon as it gets its two data.
  /// \returns false when the watchdog ended the wait.
  __device__ bool run_sections(std::uint64_t call, std::uint32_t& answer) {
    const typename Service::places places = service_.places_of(call);
    bool done = call == 0;  // a lane that asks nothing
    // Together: otherwise lanes that were refused once would go their own way from there on.
    const auto try_all = [&] {
      if (!done)
        done = Pair(data_[places.lower], data_[places.higher])
                   .try_in_turn_together([&](datum& lower, datum& higher) {
                     answer = service_(lower, higher, call);
                   });
      return __all_sync(all_lanes, done) != 0;
    };
    while (!poll_briefly(try_all))
      if (__any_sync(all_lanes, wait_.timed_out())) return false;
    return true;
  }

  delegation_lines::lane words_;
  Service service_;
  cell<datum>* data_;
  bounded_wait wait_;
  unsigned count_;
  unsigned open_;
  unsigned next_ = 0;
  std::uint32_t turns_ = ~0u;  ///< bit i: the parity of the turn that line i begins next
};

}  // namespace detail
}  // namespace FINESYNC_ABI
}  // namespace finesync
