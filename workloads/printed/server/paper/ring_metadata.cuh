// SPDX-License-Identifier: Apache-2.0
// The metadata of a ring as the warp handles them that manages the ring: it polls which requests
// have arrived, up to 1,024 with one access, and frees slots together, with one access to the
// bit-mask and one to read_idx (ASPLOS'19, section 3.2.3).
//
// Participants: all lanes of one warp, together. Their copies are equal.
// Ordering: poll() acquires the requests that it finds. free() releases what all lanes have read
//   before.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/server/masked_rings.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

template <class Argument, scope Scope>
class ring_metadata {
 public:
  using rings = masked_rings<Argument, Scope>;

  __device__ ring_metadata(const rings& from, unsigned server) : rings_(from), server_(server) {}

  __device__ std::uint32_t head() const { return head_; }
  /// Requests that have been found and not taken: from the head on.
  __device__ std::uint32_t found() const { return known_ - head_; }
  /// The first of those that are found are in work; the head goes on.
  __device__ void take(std::uint32_t requests) { head_ += requests; }

  /// If all requests that were found are taken: reads one word of the bit-mask per lane, from the
  /// head on, and counts the consecutive set bits from the head. \returns whether there are any.
  ///
  /// Each lane fences after its own load.
  __device__ bool poll() {
    const unsigned ring = rings_.config().ring;
    const std::uint32_t skipped = head_ % 32;
    std::uint32_t bits = 0;
    if (lane_id() < ring / 32) {
      bits = rings_.mask(server_, head_ - skipped + 32 * lane_id()).load(memory_order::relaxed);
      if (lane_id() == 0) bits |= (1u << skipped) - 1;
    }
    const unsigned with_gap = __ballot_sync(all_lanes, bits != 0xffffffffu);
    std::uint32_t in_a_row = 32 * 32;
    if (with_gap != 0) {
      const int first = __ffs(static_cast<int>(with_gap)) - 1;
      in_a_row =
          32 * static_cast<unsigned>(first) + bits_in_a_row(__shfl_sync(all_lanes, bits, first), 0);
    }
    // Beyond that, the bits belong to requests that are taken already.
    const std::uint32_t most = cleared_ + ring - head_;
    const std::uint32_t available = in_a_row - skipped;
    known_ = head_ + (available < most ? available : most);
    if (known_ == head_) return false;
    fence<memory_order::acquire, Scope>();
    __syncwarp();
    return true;
  }

  /// Clears the bits of the first requests that are not freed yet, and frees their slots.
  ///
  /// Lane 0 releases read_idx after all lanes have cleared, which hands the slots on to the
  /// clients. Words at the ends of the range also have bits of other requests, hence fetch_and.
  __device__ void free(std::uint32_t requests) {
    for_each_mask_word(cleared_, requests, lane_id(), 32,
                       [&](std::uint32_t at, std::uint32_t bits) {
                         rings_.mask(server_, at).fetch_and(~bits, memory_order::relaxed);
                       });
    __syncwarp();
    if (lane_id() == 0) rings_.read_idx(server_).fetch_add(requests, memory_order::release);
    cleared_ += requests;
  }

  /// Whether all requests, present and future, are taken: all clients have finished, and so have
  /// their reservations.
  __device__ bool is_over() const {
    int over = 0;
    if (lane_id() == 0 &&
        rings_.clients_done(server_).load(memory_order::relaxed) == rings_.config().clients &&
        head_ == known_) {
      fence<memory_order::acquire, Scope>();
      over = rings_.write_idx(server_).load(memory_order::relaxed) == head_;
    }
    return __shfl_sync(all_lanes, over, 0) != 0;
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;

  const rings& rings_;
  unsigned server_;
  std::uint32_t head_ = 0;     ///< first position that is not taken
  std::uint32_t known_ = 0;    ///< requests lie at the positions below
  std::uint32_t cleared_ = 0;  ///< first position with an uncleared bit: read_idx
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
