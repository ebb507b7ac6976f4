// SPDX-License-Identifier: Apache-2.0
// A ticket and a value in one access: 32 and 32 bits, or 32 and 96 (message_128.cuh).
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/ptx/message_128.cuh"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// The representation of a Word: `slot` in memory, and a load and a store, each one relaxed access
/// of device scope. Pass the result of load() to keep_128_bits() on every path that uses it
/// (message_128.cuh), early or late.
template <class Word, bool Wide = (sizeof(Word) > sizeof(std::uint32_t))>
struct ticket_and_value {
  static_assert(std::is_trivially_copyable_v<Word>);
  using slot = std::uint64_t;

  __device__ static slot load(cell<slot>& from) {
    return atomic_ref<std::uint64_t, scope::device>(from).load(memory_order::relaxed);
  }
  /// No operation: with 64 bits, reading a part is also one access.
  __device__ static void keep_128_bits(slot) {}
  __device__ static std::uint32_t ticket_of(slot both) {
    return static_cast<std::uint32_t>(both >> 32);
  }
  __device__ static Word value_of(slot both) {
    const auto bits = static_cast<std::uint32_t>(both);
    Word word;
    std::memcpy(static_cast<void*>(&word), &bits, sizeof(Word));
    return word;
  }
  __device__ static void store(cell<slot>& to, std::uint32_t ticket, const Word& word) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &word, sizeof(Word));
    atomic_ref<std::uint64_t, scope::device>(to).store(std::uint64_t{ticket} << 32 | bits,
                                                       memory_order::relaxed);
  }
};

template <class Word>
struct ticket_and_value<Word, true> {
  static_assert(std::is_trivially_copyable_v<Word>);
  static_assert(sizeof(Word) <= 12, "128 bits hold a ticket and 96 bits");
  using slot = message_128;

  __device__ static slot load(cell<slot>& from) { return begin_load_message(from); }
  __device__ static void keep_128_bits(const slot& both) { finesync::keep_128_bits(both); }
  __device__ static std::uint32_t ticket_of(const slot& both) {
    return static_cast<std::uint32_t>(both.low >> 32);
  }
  __device__ static Word value_of(const slot& both) {
    const std::uint32_t bits[] = {static_cast<std::uint32_t>(both.low),
                                  static_cast<std::uint32_t>(both.high),
                                  static_cast<std::uint32_t>(both.high >> 32)};
    Word word;
    std::memcpy(static_cast<void*>(&word), bits, sizeof(Word));
    return word;
  }
  __device__ static void store(cell<slot>& to, std::uint32_t ticket, const Word& word) {
    std::uint32_t bits[3] = {};
    std::memcpy(bits, &word, sizeof(Word));
    store_message(to,
                  {std::uint64_t{ticket} << 32 | bits[0], std::uint64_t{bits[2]} << 32 | bits[1]});
  }
};

}  // namespace finesync::inline FINESYNC_ABI
