// SPDX-License-Identifier: Apache-2.0
// Changes of mbarriers, by their own instructions and by copies that complete.
#pragma once

#include <ptx/execute/accesses.hpp>

namespace ptx {

struct barrier_change {
  std::uint64_t arrivals = 0;
  std::int64_t bytes = 0;
  bool drops = false;  ///< later phases expect fewer arrivals
};

/// \returns the word before the change.
std::uint64_t change_barrier(const instruction& i, std::byte* at, const barrier_change& by,
                             simt::memory_order order, simt::scope reach);

/// Generic or shared, by is_signed of the instruction.
inline std::byte* barrier_address(const thread_state& t, const instruction& i) {
  return i.is_signed ? address_of<true>(t, i) : address_of<false>(t, i);
}

}  // namespace ptx
