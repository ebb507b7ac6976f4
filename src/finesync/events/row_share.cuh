// SPDX-License-Identifier: Apache-2.0
// How the threads of a block share elements that lie in rows of one length: thread t has elements
// t, t + block_threads(), ... of some rows together.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/platform.cuh"
#include "finesync/device/require.cuh"

namespace finesync::inline FINESYNC_ABI {

/// \tparam Most elements that a thread has at most, if that is known: then the code has no loop,
/// and a thread that uses its share again and again keeps its places in registers. 0: any number.
template <unsigned Most>
class row_share {
 public:
  struct place {
    unsigned row;
    unsigned index;
    unsigned element;  ///< its number in all rows of the share together
  };
  /// Elements that a thread uses at once.
  static constexpr unsigned batch = Most == 0 ? 4 : Most;

  __device__ row_share(unsigned per_row, unsigned first_row, unsigned rows)
      : per_row_(per_row),
        first_{first_row + thread_rank() / per_row, thread_rank() % per_row, thread_rank()},
        step_{block_threads() / per_row, block_threads() % per_row, block_threads()} {
    const unsigned all = rows * per_row;
    if constexpr (Most == 0) {
      number_ =
          thread_rank() < all ? (all - thread_rank() + block_threads() - 1) / block_threads() : 0;
    } else {  // without a division
      for (unsigned k = 0; k < Most; ++k)
        number_ += thread_rank() + k * block_threads() < all ? 1 : 0;
      require(all <= Most * block_threads(), "a thread's share has more elements than it may have");
    }
  }

  /// The first element of the calling thread, if it has one.
  __device__ const place& first() const { return first_; }

  /// Calls use(places, number) for one batch after the other, until it returns false. Of `batch`
  /// places, those from `number` on are again that of the last element.
  template <class Use>
  __device__ bool each_batch(Use use) const {
    if constexpr (Most != 0) {
      return number_ == 0 || use_next(first_, number_, use);
    } else {
      place at = first_;
      for (unsigned left = number_; left != 0; left -= left < batch ? left : batch)
        if (!use_next(at, left, use)) return false;
      return true;
    }
  }

 private:
  template <class At, class Use>
  __device__ bool use_next(At&& from, unsigned left, Use use) const {
    place at = from;
    place places[batch];
    for (unsigned k = 0; k < batch; ++k) {
      places[k] = at;
      if ((Most == 0 || k + 1 < Most) && k + 1 < left) go_on(at);
    }
    if constexpr (Most == 0) from = at;
    return use(places, left);
  }

  /// To the share's next element, without a division.
  __device__ void go_on(place& at) const {
    at.element += step_.element;
    at.row += step_.row;
    at.index += step_.index;
    if (at.index < per_row_) return;
    at.index -= per_row_;
    ++at.row;
  }

  unsigned per_row_;
  place first_;
  place step_;
  unsigned number_ = 0;
};

}  // namespace finesync::inline FINESYNC_ABI
