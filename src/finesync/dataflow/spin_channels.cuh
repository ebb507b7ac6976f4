// SPDX-License-Identifier: Apache-2.0
// A spin lock per thread shows whether there is a token (ICS'15, Listing 5, `atom_lock`). The
// producer holds the lock until it has given. A consumer that acquires the lock reads the token. It
// then either unlocks for other readers or returns the lock to the producer, which empties the
// channel.
//
// Participants: threads, also of one warp.
// Scope: block.
// Ordering: an acquiring compare-exchange gets the token, a releasing exchange gives it.
// Progress: deadlock-free; a reader may wait for others that hold the lock.
// Residency: one block.
// Traffic: a compare-exchange per poll; an exchange to give, to take and to read.
// Memory: the token and a word.
// Fairness: none among readers.
// Reset: open().
#pragma once

#include "finesync/dataflow/channel_lock.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// \tparam Lock so that tests can weaken it.
template <class Lock>
class basic_spin_channel {
 public:
  __device__ basic_spin_channel(cell<std::uint32_t>& held, cell<std::uint32_t>& value)
      : lock_(held), value_(value) {}

  __device__ void open() { lock_.open(); }
  __device__ void close() {}
  __device__ void give(std::uint32_t token) {
    value_ = token;
    lock_.give();
  }
  __device__ bool is_empty() { return lock_.is_empty(); }
  __device__ bool try_take(std::uint32_t& token) { return try_get(token, false); }
  __device__ bool try_read(std::uint32_t& token) { return try_get(token, true); }

 private:
  __device__ bool try_get(std::uint32_t& token, bool stays) {
    if (!lock_.try_lock()) return false;
    token = value_;
    lock_.unlock(stays);
    return true;
  }

  Lock lock_;
  cell<std::uint32_t>& value_;
};

using spin_channel = basic_spin_channel<detail::channel_lock<>>;

class spin_channels {
 public:
  static constexpr bool by_warps = false;
  static constexpr bool orders_memory = true;
  static constexpr bool many_readers = true;
  static constexpr unsigned max_threads = 1024;

  static constexpr std::size_t bytes(unsigned threads) { return 8 * std::size_t{threads}; }

  __device__ spin_channels(unsigned char* memory, unsigned threads)
      : values_(reinterpret_cast<cell<std::uint32_t>*>(memory)), held_(values_ + threads) {}

  __device__ spin_channel channel_of(unsigned producer) const {
    return {held_[producer], values_[producer]};
  }

 protected:
  cell<std::uint32_t>* values_;
  cell<std::uint32_t>* held_;
};

}  // namespace finesync::inline FINESYNC_ABI
