// SPDX-License-Identifier: Apache-2.0
// The lines of a queue's tail and head. Host side.
#pragma once

#include "finesync/host/buffer.cuh"
#include "finesync/host/line_pairs.cuh"
#include "finesync/queues/ring_queue.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Owns the words of a queue's ends. All draw from tail and head, so both are a pair that is quick:
/// on an H100 a queue by slot carries 17 to 20 billion items per second on the slowest pairs, a
/// ticket per warp, and 24 to 25 on others.
template <class Ticket>
class queue_lines {
 public:
  /// \throws std::bad_alloc if device memory is used up.
  explicit queue_lines(const placement& on = {})
      : words_(buffer<std::uint32_t>::zeroed(line_pairs::lines * line_pairs::words_per_line, on,
                                             {.object = "queue"})),
        pair_(quickest_pair(words_.device_data(), on)) {
    reset();
  }

  void reset() { words_.fill_bytes(0); }
  queue_ends<Ticket> ends() const {
    return {at<cell<Ticket>>(line_pairs::first(pair_)), at<cell<Ticket>>(line_pairs::second(pair_)),
            at<queue_closing>(line_pairs::spare)};
  }

 private:
  template <class Words>
  Words* at(unsigned line) const {
    return reinterpret_cast<Words*>(words_.device_data() + line * line_pairs::words_per_line);
  }

  buffer<std::uint32_t> words_;
  unsigned pair_;
};

}  // namespace finesync::inline FINESYNC_ABI
