// The lines of a queue's tail and head, apart in the L2. Host side.
#pragma once

#include "finesync/host/l2_lines.cuh"
#include "finesync/host/stream.cuh"
#include "finesync/queues/ring_queue.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Owns the words of a queue's ends: tail and head on different sides of the L2, so that no part of
/// it has to serve both. A part takes some 1.2 billion additions per second, for one word or more.
template <class Ticket>
class queue_lines {
 public:
  /// \throws std::bad_alloc if device memory is used up.
  explicit queue_lines(const stream& on = {}) : lines_(2, on) {}

  void reset() { lines_.reset(); }
  queue_ends<Ticket> ends() const {
    return {reinterpret_cast<cell<Ticket>*>(lines_.line(0, 0)),
            reinterpret_cast<cell<Ticket>*>(lines_.line(1, 0)),
            reinterpret_cast<queue_closing*>(lines_.line(0, 1))};
  }

 private:
  l2_lines lines_;
};

}  // namespace finesync::inline FINESYNC_ABI
