// SPDX-License-Identifier: Apache-2.0
// What the two kinds of asynchronous copies have in common.
#pragma once

#include <ptx/execute/accesses.hpp>
#include <simt/async_threads.hpp>

#include <cstdint>
#include <utility>

namespace ptx {

inline constexpr simt::async_wait at_barrier{.for_reads = "a wait at its mbarrier",
                                             .for_writes = "a wait at its mbarrier"};

/// The copies of one group have one name.
inline const void* name_of_group(std::uint64_t group) {
  return reinterpret_cast<const void*>(group + 1);
}

/// The spaces of target and source, which the modifiers name in this order.
inline std::pair<address_space, address_space> take_both_spaces(decoder& d) {
  const address_space to = take_space(d);
  return {to, take_space(d)};
}

/// [a + offset] in one slot.
inline operand sum_of_address(decoder& d, std::size_t i) {
  instruction part{.execute = add_offset};
  d.address(i, part);
  part.to = d.temporary();
  d.emit(part);
  return part.to;
}

/// At the end of a thread: the block's memory must last until its copies have read it. Ends the
/// launch if nothing has waited for that.
void check_bulk_copies_at_end(const thread_state& t);

/// cp.async.bulk, after these two modifiers.
void decode_bulk_copy(decoder& d);

/// st.async and red.async, after this modifier.
void decode_async_store(decoder& d);
void decode_async_reduction(decoder& d);

}  // namespace ptx
