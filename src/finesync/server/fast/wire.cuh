// SPDX-License-Identifier: Apache-2.0
// Message format of the fast path: a message shows whether it has arrived.
//
// A ring slot is one 64-bit word (requests of 1 and 2 words), one 128-bit word (3 and 4) or two
// 128-bit words (5 to 7). Each word is accessed whole. Its highest bit is the parity of its lap of
// the ring. A slot holds lap k-1 until it is freed and then lap k, never any other. So one bit is
// enough: the slot needs no flag, no fence and no order between words. The ring implies the server,
// so the message contains only the key's local number, in 31 bits.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/ptx/message_128.cuh"
#include "finesync/server/request.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// A request packed into 64-bit units. The parity bit is zero when packed; local() and argument()
/// ignore it.
template <class Argument>
struct packed_request {
  static constexpr unsigned words = 1 + argument_words<Argument>();
  static constexpr unsigned units = words <= 2 ? 1 : words <= 4 ? 2 : 4;
  std::uint64_t unit[units];

  __device__ static packed_request of(std::uint32_t local, const Argument& argument) {
    const auto image = argument_image<Argument>::of(argument);
    packed_request packed = {};
    for (unsigned i = 0; i != image.words; ++i)
      packed.unit[place(i) / 2] |= std::uint64_t{image.word[i]} << 32 * (place(i) % 2);
    packed.unit[key_unit] |= std::uint64_t{local} << 32;
    return packed;
  }
  __device__ std::uint32_t local() const {
    return static_cast<std::uint32_t>(unit[key_unit] >> 32) & 0x7fffffffu;
  }
  __device__ Argument argument() const {
    argument_image<Argument> image = {};
    for (unsigned i = 0; i != image.words; ++i)
      image.word[i] = static_cast<std::uint32_t>(unit[place(i) / 2] >> 32 * (place(i) % 2));
    return image.argument();
  }

 private:
  static constexpr unsigned key_unit = units == 1 ? 0 : 1;
  // The half unit of argument word i; the key has the fourth (with one word, the second).
  __device__ static constexpr unsigned place(unsigned i) { return i < 3 ? i : i + 1; }
};

/// The content of a ring slot; only its members access it.
template <unsigned Units, scope Scope = scope::device>
struct wire_slot {
  cell<message_128> part[Units / 2];

  template <class Packed>
  __device__ void store(const Packed& request, std::uint64_t parity) {
    for (unsigned i = 0; i < Units / 2; ++i)
      store_message<Scope>(part[i], {request.unit[2 * i], request.unit[2 * i + 1] | parity << 63});
  }
  /// Loads the present content. It is a request if it has arrived(); use nothing of it before.
  template <class Packed>
  __device__ void load(Packed& found) {
    for (unsigned i = 0; i < Units / 2; ++i) {
      const message_128 m = begin_load_message<Scope>(part[i]);
      found.unit[2 * i] = m.low;
      found.unit[2 * i + 1] = m.high;
    }
  }
  template <class Packed>
  __device__ static bool arrived(const Packed& found, std::uint64_t parity) {
    bool all = true;
    for (unsigned i = 0; i < Units / 2; ++i) {
      keep_128_bits({found.unit[2 * i], found.unit[2 * i + 1]});
      all = all && found.unit[2 * i + 1] >> 63 == parity;
    }
    return all;
  }
};

template <scope Scope>
struct wire_slot<1, Scope> {
  cell<std::uint64_t> word;

  template <class Packed>
  __device__ void store(const Packed& request, std::uint64_t parity) {
    atomic_ref<std::uint64_t, Scope>(word).store(request.unit[0] | parity << 63,
                                                 memory_order::relaxed);
  }
  template <class Packed>
  __device__ void load(Packed& found) {
    found.unit[0] = atomic_ref<std::uint64_t, Scope>(word).load(memory_order::relaxed);
  }
  template <class Packed>
  __device__ static bool arrived(const Packed& found, std::uint64_t parity) {
    return found.unit[0] >> 63 == parity;
  }
};

/// A ring position counts requests since the start, modulo 2^32.
__device__ __forceinline__ std::uint64_t lap_parity(std::uint32_t position, std::uint32_t ring) {
  return (position & ring) == 0 ? 1 : 0;  // a zeroed ring holds "lap -1"
}

/// Whether ring position `a` comes before `b`; they are less than 2^31 apart.
__device__ __forceinline__ bool before(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace finesync::inline FINESYNC_ABI
