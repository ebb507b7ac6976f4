// SPDX-License-Identifier: Apache-2.0
// One device operation. Everything that a kernel does to memory or to other threads is an operation
// and goes through memory_accesses or an object of the execution. So a schedule, a memory mode or a
// timing model sees all of it.
#pragma once

#include <simt/memory_model.hpp>

#include <cstddef>
#include <cstdint>

namespace simt {

enum class op_kind : std::uint8_t {
  plain_load,
  plain_store,
  load,
  store,
  exchange,
  compare_exchange,
  fetch_add,
  fetch_and,
  fetch_or,
  fetch_xor,
  fetch_min,
  fetch_max,
  fence,
  sleep,
  warp_collective,
  block_barrier,
  cluster_barrier,
  named_barrier,
};
inline constexpr std::size_t op_kinds = static_cast<std::size_t>(op_kind::named_barrier) + 1;

inline constexpr std::size_t scopes = static_cast<std::size_t>(scope::system) + 1;

/// Where an address lies. `none` is for operations without an address.
enum class space : std::uint8_t { none, global, shared };
inline constexpr std::size_t spaces = 3;

/// Up to 128 bits, the widest single access.
struct word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const word&) const = default;
};

struct operation {
  op_kind kind = op_kind::plain_load;
  memory_order order = memory_order::relaxed;
  scope reach = scope::device;
  std::uint8_t bytes = 0;      ///< 1 to 16; 0 without an address
  std::uint8_t alignment = 0;  ///< required alignment; 0: as `bytes`
  bool is_signed = false;      ///< for fetch_min and fetch_max
  /// An atomic load that may hit the L1, whatever its scope; or a plain one that no acquire orders:
  /// only of memory that no thread of the launch writes.
  bool may_be_stale = false;
  void* address = nullptr;
  word operand = {};   ///< value to store, exchange, add; nanoseconds to sleep
  word expected = {};  ///< only for compare_exchange
};

constexpr bool reads(op_kind kind) {
  return kind == op_kind::plain_load || kind == op_kind::load ||
         (kind >= op_kind::exchange && kind <= op_kind::fetch_max);
}

constexpr bool is_rmw(op_kind kind) {
  return kind >= op_kind::exchange && kind <= op_kind::fetch_max;
}

constexpr bool has_address(op_kind kind) {
  return kind <= op_kind::fetch_max;
}

}  // namespace simt
