// SPDX-License-Identifier: Apache-2.0
// What memory instructions have in common: addresses of the state spaces, and how an access reaches
// the executor.
#pragma once

#include <ptx/decode/decoder.hpp>
#include <ptx/execute/thread_state.hpp>

#include <algorithm>

namespace ptx {

// Generic addresses are those of the host. Shared ones are offsets in the block's shared memory;
// with the rank of another block of the cluster plus 1 in the upper byte, as mapa makes them.

inline std::byte* generic_address(std::uint64_t value) {
  return reinterpret_cast<std::byte*>(value);
}

/// Also of a block without shared memory, before its beginning and beyond its end: the executor
/// refuses the access, and names its place.
inline std::byte* shared_address(const thread_state& t, std::uint32_t offset) {
  const auto beside = [](std::byte* base, std::int64_t bytes) {
    return generic_address(reinterpret_cast<std::uint64_t>(base) +
                           static_cast<std::uint64_t>(bytes));
  };
  const std::uint32_t rank = offset >> 24;
  if (rank == 0) return beside(t.shared(), offset);
  if (t.launch().shared_bytes == 0) return beside(t.shared(), static_cast<std::int32_t>(offset));
  const auto block = [&](std::uint32_t which) {
    return static_cast<std::byte*>(simt::in_block(t.shared(), which));
  };
  // A negative offset is counted from the first block, before which is none of the cluster.
  if (rank > simt::cluster_blocks()) return beside(block(0), static_cast<std::int32_t>(offset));
  return beside(block(rank - 1), offset & 0xffffff);
}

/// The address of an instruction: from[0] + number.
template <bool IsShared>
std::byte* address_of(const thread_state& t, const instruction& i) {
  const std::uint64_t value = t.read(i.from[0]) + static_cast<std::uint64_t>(i.number);
  if constexpr (IsShared) return shared_address(t, static_cast<std::uint32_t>(value));
  return generic_address(value);
}

/// The block of the cluster that holds the address: its rank plus 1, or 0 for its own block.
inline bool find_shared(const thread_state& t, std::uint64_t address, std::uint32_t& offset) {
  const auto within = [&](const std::byte* base, std::uint32_t rank_above) {
    const std::uint64_t into = address - reinterpret_cast<std::uint64_t>(base);
    if (into >= std::max(t.launch().shared_bytes, 1u)) return false;
    offset = static_cast<std::uint32_t>(into) | rank_above << 24;
    return true;
  };
  if (t.shared() == nullptr) return false;
  if (within(t.shared(), 0)) return true;
  for (std::uint32_t rank = 0; rank < simt::cluster_blocks(); ++rank) {
    if (within(static_cast<std::byte*>(simt::in_block(t.shared(), rank)), rank + 1)) return true;
  }
  return false;
}

/// Memory of the thread itself. Ends the launch if it is not.
inline std::byte* private_address(const thread_state& t, const instruction& i, std::size_t bytes) {
  std::byte* const at = address_of<false>(t, i);
  if (!t.is_private(at, bytes)) fail_at(i, outside_of_local);
  return at;
}

/// The space of an address of the statement: that of the modifiers, or else that of the name.
address_space take_space(decoder& d);
inline address_space joined_space(address_space by_modifier, address_space by_name) {
  return by_modifier == address_space::generic ? by_name : by_modifier;
}

struct ordering {
  bool is_weak = true;
  bool is_volatile = false;
  simt::memory_order order = simt::memory_order::relaxed;
  simt::scope reach = simt::scope::device;
};

/// .weak, .volatile, .relaxed.gpu, ...; without a scope: that of the GPU.
ordering take_ordering(decoder& d);

/// Hints that change nothing here: .ca, .L2::128B, .L1::evict_last, ...
void take_cache_hints(decoder& d);

/// The registers of a list {a, b}; of a name: that one.
std::vector<const operand_syntax*> registers_of(const operand_syntax& list);

}  // namespace ptx
