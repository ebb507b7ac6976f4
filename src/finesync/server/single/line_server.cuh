// SPDX-License-Identifier: Apache-2.0
// The server's side of the message lines. Its lanes poll their words of the lines round robin, run
// the calls that have come, and reply. The contract: single/single_server.cuh.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/single/lines.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// One warp of the server, for some of the lines. All lanes run in step, but each polls its words
/// at its own pace, so a lane that fails a try delays no other lane.
/// \tparam Pair takes two data (multi_object/full_empty_pair.cuh).
template <class Service, class Pair>
class line_server {
 public:
  static constexpr unsigned max_lines = 32;  ///< one bit per line

  using datum = typename Service::datum;

  /// \param data in shared memory. \param first first line. \param count number of lines.
  __device__ line_server(const server_lines& lines, unsigned first, unsigned count,
                         const Service& service, cell<datum>* data, const watchdog_ref& watchdog)
      : words_(lines, first),
        service_(service),
        data_(force_shared_address(data)),
        wait_(watchdog, awaited::requests),
        count_(count),
        open_(count) {
    call_.lower = none;
  }

  /// Runs until all clients have closed their lines, or the watchdog ends it.
  __device__ void run() {
    if (count_ == 0) return;
    next_ = words_.call(0).load(memory_order::relaxed);
    do {
      for (unsigned i = 0; i < rounds_per_vote; ++i) {
        if (!has_call()) look();
        const bool asked = has_call();
        for (unsigned j = 0; j < tries_per_look; ++j)
          if (has_call()) try_section();
        if (asked && !has_call()) reply();
      }
      if (__any_sync(all_lanes, open_ != 0) == 0) return;
    } while (__any_sync(all_lanes, wait_.timed_out()) == 0);
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  static constexpr unsigned rounds_per_vote = 4;
  /// More tries per poll and reply are faster with many data, slower with few.
  static constexpr unsigned tries_per_look = 2;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  __device__ bool has_call() const { return call_.lower != none; }

  /// Takes the call of the current line, if one has come. Then loads the next line's word; the load
  /// overlaps with the tries.
  __device__ void look() {
    if (server_lines::is_of_turn(next_, turns_ >> line_)) {
      turns_ ^= 1u << line_;
      if (server_lines::is_closed(next_)) {
        --open_;
      } else {
        call_ = service_.unpacked(server_lines::call_of(next_));
        from_ = line_;
        parity_ = server_lines::parity_of(next_);
        wait_.restart();
      }
    }
    line_ = line_ + 1 == count_ ? 0 : line_ + 1;
    next_ = words_.call(line_).load(memory_order::relaxed);
  }

  __device__ void try_section() {
    const bool done = Pair(data_[call_.lower], data_[call_.higher])
                          .try_one_by_one_together([&](datum& lower, datum& higher) {
                            reply_ = static_cast<std::uint32_t>(service_(lower, higher, call_));
                          });
    if (done) call_.lower = none;
  }

  __device__ void reply() const {
    words_.reply(from_).store(reply_ | parity_, memory_order::relaxed);
  }

  server_lines::lane words_;
  Service service_;
  cell<datum>* data_;
  bounded_wait wait_;
  unsigned count_;
  unsigned open_;
  std::uint32_t turns_ = ~0u;  ///< bit i: parity of line i's next call
  unsigned line_ = 0;          ///< line to poll next
  std::uint64_t next_ = 0;     ///< its word

  // The current call:
  typename Service::call call_ = {};
  unsigned from_ = 0;         ///< its line
  std::uint32_t parity_ = 0;  ///< its parity, copied to the reply
  std::uint32_t reply_ = 0;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
