// SPDX-License-Identifier: Apache-2.0
// Operation counts of a launch: by kind, scope and memory space, and how many of the reads were
// polls. Counts are exact and repeatable; they are the host executor's only quantitative result.
#pragma once

#include <simt/operation.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace simt {

class counters {
 public:
  void add(op_kind kind, scope reach, space where) {
    ++operations_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(reach)]
                 [static_cast<std::size_t>(where)];
  }

  /// A read that found the value the same thread last read there.
  void add_poll(space where) { ++polls_[static_cast<std::size_t>(where)]; }

  std::uint64_t operations(op_kind kind, scope reach, space where) const {
    return operations_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(reach)]
                      [static_cast<std::size_t>(where)];
  }
  std::uint64_t polls(space where) const { return polls_[static_cast<std::size_t>(where)]; }
  std::uint64_t total() const;

  /// Non-zero counts by name, read-modify-writes summed: "rmw_device_global", "fence_device",
  /// "poll_global", "plain_load_shared", "block_barrier", ...
  std::map<std::string, double> by_name() const;

 private:
  std::array<std::array<std::array<std::uint64_t, spaces>, scopes>, op_kinds> operations_{};
  std::array<std::uint64_t, spaces> polls_{};
};

}  // namespace simt
