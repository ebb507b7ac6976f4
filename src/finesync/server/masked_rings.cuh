// SPDX-License-Identifier: Apache-2.0
// The rings of ASPLOS'19, section 3.2.1, for the basic and the paper path. Each server has a
// circular buffer of requests, a bit per slot that marks a request, and two indices.
//
// A *position* counts requests since the start, modulo 2^32; its slot is position modulo ring.
//|  write_idx  positions below it are reserved: each by one atomic addition of a sender
//|  bit-mask   the slot's bit is set after a release fence once the request lies in the slot, and
//|             cleared once it has been read
//|  read_idx   positions below it are read, *all* of them, and their bits cleared: the slot of
//|             position p is free for p when p - read_idx < ring
//
// Two hand-offs, and why plain accesses to the slots are enough:
// - Request to receiver. Sender: store request; release fence; fetch_or of the bit. Receiver: load
//   that shows the bit; acquire fence; load request. Only read-modify-writes change a word of the
//   mask, so any value that shows the bit lies in the release sequence of its fetch_or.
// - Slot to the next sender. Receiver: load request; fetch_and of the bit; release fence; addition
//   to read_idx. Sender: load of read_idx that covers the slot; acquire fence; store request. All
//   changes of read_idx are additions, so a value that counts the slot continues the release
//   sequence of the addition that counted it. By the same order the next fetch_or of the bit
//   follows the fetch_and.
//
// Fences are cumulative: what a client wrote to memory before it sent a request is visible to the
// request's section.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/request.cuh"
#include "finesync/server/server_config.cuh"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// A request as words: the key's local number and the argument.
template <class Argument>
struct plain_request {
  static constexpr unsigned words = 1 + argument_words<Argument>();
  std::uint32_t word[words];

  __device__ static plain_request of(std::uint32_t local, const Argument& argument) {
    const auto image = argument_image<Argument>::of(argument);
    plain_request request;
    request.word[0] = local;
    for (unsigned i = 1; i < words; ++i) request.word[i] = image.word[i - 1];
    return request;
  }
  __device__ std::uint32_t local() const { return word[0]; }
  __device__ Argument argument() const {
    argument_image<Argument> image = {};
    for (unsigned i = 1; i < words; ++i) image.word[i - 1] = word[i];
    return image.argument();
  }
};

/// The bit of a position in its word of a mask.
__device__ __forceinline__ std::uint32_t mask_bit(std::uint32_t position) {
  return 1u << position % 32;
}

/// Number of consecutive set bits from `position` on, up to the end of the word.
__device__ __forceinline__ unsigned bits_in_a_row(std::uint32_t word, std::uint32_t position) {
  const std::uint32_t gaps = ~(word >> position % 32);
  return gaps == 0 ? 32 : static_cast<unsigned>(__ffs(static_cast<int>(gaps)) - 1);
}

/// Calls use(position, bits) for each mask word with bits of the positions [begin, begin + count):
/// a position in the word, and those bits. The words are distributed over `threads` threads.
template <class Use>
__device__ void for_each_mask_word(std::uint32_t begin, std::uint32_t count, unsigned thread,
                                   unsigned threads, Use use) {
  const std::uint32_t skipped = begin % 32;
  const std::uint32_t words = (skipped + count + 31) / 32;
  for (std::uint32_t i = thread; i < words; i += threads) {
    const std::uint32_t from = i == 0 ? skipped : 0;
    const std::uint32_t to = i + 1 < words ? 32 : skipped + count - 32 * i;
    use(begin - skipped + 32 * i, ~0u << from & ~0u >> (32 - to));
  }
}

/// The rings of all servers; trivially copyable, passed by value.
template <class Argument, scope Scope = scope::device>
class masked_rings {
 public:
  using argument_type = Argument;
  using request = plain_request<Argument>;
  using ring_word = atomic_ref<std::uint32_t, Scope>;
  static constexpr scope reach = Scope;

  /// Global memory for all rings, in bytes. Reset: zero it.
  static std::size_t memory_bytes(const server_config& config) {
    return config.servers *
           (sizeof(indices) + (std::size_t{request::words} * config.ring + mask_words(config)) *
                                  sizeof(std::uint32_t));
  }

  /// Number of requests that were sent, by a copy of that memory. Host side.
  static std::uint64_t sent(const server_config& config, const std::vector<unsigned char>& memory) {
    std::uint64_t all = 0;
    for (unsigned server = 0; server < config.servers; ++server) {
      std::uint32_t write_idx = 0;
      std::memcpy(&write_idx, &memory.at(server * sizeof(indices)), sizeof write_idx);
      all += write_idx;
    }
    return all;
  }

  masked_rings(const server_config& config, unsigned char* memory)
      : config_(config),
        indices_(reinterpret_cast<indices*>(memory)),
        masks_(reinterpret_cast<cell<std::uint32_t>*>(indices_ + config.servers)),
        slots_(masks_ + config.servers * mask_words(config)) {}

  __host__ __device__ const server_config& config() const { return config_; }

  __device__ ring_word write_idx(unsigned server) const {
    return ring_word(indices_[server].write_idx);
  }
  __device__ ring_word read_idx(unsigned server) const {
    return ring_word(indices_[server].read_idx);
  }
  /// Number of finished clients. A client increments it with release after its last reservation.
  __device__ ring_word clients_done(unsigned server) const {
    return ring_word(indices_[server].clients_done);
  }
  /// The mask word with the position's bit.
  __device__ ring_word mask(unsigned server, std::uint32_t position) const {
    return ring_word(masks_[server * mask_words(config_) + slot(position) / 32]);
  }

  __device__ std::uint32_t slot(std::uint32_t position) const {
    return position & (config_.ring - 1);
  }
  __device__ void store(unsigned server, std::uint32_t position, const request& from) const {
    for (unsigned i = 0; i < request::words; ++i) word(server, position, i) = from.word[i];
  }
  __device__ request load(unsigned server, std::uint32_t position) const {
    request to;
    for (unsigned i = 0; i < request::words; ++i) to.word[i] = word(server, position, i);
    return to;
  }

 private:
  // One line for what clients write, write_idx first, one for what the server writes.
  struct indices {
    alignas(line_bytes) cell<std::uint32_t> write_idx;
    cell<std::uint32_t> clients_done;
    alignas(line_bytes) cell<std::uint32_t> read_idx;
  };

  // Whole lines, so that servers share none.
  __host__ __device__ static std::size_t mask_words(const server_config& config) {
    constexpr unsigned words_of_a_line = line_bytes / sizeof(std::uint32_t);
    return config.ring / 32 < words_of_a_line ? words_of_a_line : config.ring / 32;
  }

  // Structure of arrays: neighbouring slots are accessed together.
  __device__ cell<std::uint32_t>& word(unsigned server, std::uint32_t position, unsigned i) const {
    return slots_[(std::size_t{server} * request::words + i) * config_.ring + slot(position)];
  }

  server_config config_;
  indices* indices_;
  cell<std::uint32_t>* masks_;
  cell<std::uint32_t>* slots_;
};

/// Counts the block as finished at all servers, by `threads` threads, with `thread` the number of
/// the caller. All reservations of the block must happen before the call.
template <class Rings>
__device__ void count_as_done(const Rings& rings, unsigned thread, unsigned threads) {
  for (unsigned server = thread; server < rings.config().servers; server += threads)
    rings.clients_done(server).fetch_add(1, memory_order::release);
}

/// Sends one request without gathering: reserves a slot, waits until it is free, writes the request
/// and sets its bit. \returns false when the watchdog ended the wait: leave the kernel.
template <class Rings>
__device__ bool send_alone(const Rings& rings, unsigned server,
                           const typename Rings::request& request, const watchdog_ref& watchdog) {
  const std::uint32_t position = rings.write_idx(server).fetch_add(1, memory_order::relaxed);
  bounded_wait wait(watchdog, awaited::ring, server);
  bool sent = false;
  do {
    // Written inside the loop, so that lanes with space do not wait for lanes without.
    if (position - rings.read_idx(server).load(memory_order::relaxed) < rings.config().ring) {
      fence<memory_order::acquire, Rings::reach>();
      rings.store(server, position, request);
      fence<memory_order::release, Rings::reach>();
      rings.mask(server, position).fetch_or(mask_bit(position), memory_order::relaxed);
      sent = true;
    } else if (wait.timed_out()) {
      return false;
    }
  } while (!sent);
  return true;
}

}  // namespace finesync::inline FINESYNC_ABI
