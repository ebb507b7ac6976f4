// SPDX-License-Identifier: Apache-2.0
// Reads of global memory that nothing has written since it was allocated: see arena::watch(). The
// race detector finds those of shared memory.
#pragma once

#include <simt/arena.hpp>
#include <simt/fault.hpp>
#include <simt/memory/running_launch.hpp>
#include <simt/operation.hpp>

#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace simt {

class unset_reads {
 public:
  explicit unset_reads(running_launch& launch) : launch_(launch) {}

  /// From now on look_at() calls `report` at the first such read by each place in the code.
  void report_by(std::function<void()> report) { report_ = std::move(report); }

  /// An operation on global memory begins.
  void look_at(const operation& op, const void* site) {
    if (report_ && reads(op.kind) && global_.has_unset(op.address, op.bytes)) tell(op, site);
  }

  bool is_found() const { return found_.has_value(); }
  /// What was found last. Not on a fiber.
  fault taken();

 private:
  struct unset_read {
    fault_kind kind;
    bool is_untouched;  ///< nothing has written any byte of the allocation
    operation op;
    const void* site;
    const thread* by;
  };
  /// Whether the value of an unset read is used, or its allocation as a whole was forgotten.
  bool is_sure_to_matter(const operation& op);
  void tell(const operation& op, const void* site);

  running_launch& launch_;
  arena& global_ = global_memory();
  std::function<void()> report_;  ///< empty: nothing is looked for
  std::optional<unset_read> found_;
  std::set<std::pair<const void*, fault_kind>> told_;
};

}  // namespace simt
