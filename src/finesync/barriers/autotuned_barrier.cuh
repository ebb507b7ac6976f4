// SPDX-License-Identifier: Apache-2.0
// The default grid barrier: a counter barrier with the plan measured fastest for grids of this
// shape, on this GPU or the nearest to it of those measured (measured_plans.cuh). The constructor
// then tunes the time of the first poll on the GPU in use.
//
// Use: autotuned_barrier barrier(shape); pass barrier.ref() to the kernel, then as
//   grid_barrier.cuh.
// Contract: counter_barrier.cuh.
#pragma once

#include "finesync/barriers/counter_barrier.cuh"
#include "finesync/barriers/measured_plans.cuh"

#include <string_view>

namespace finesync::inline FINESYNC_ABI {

/// \tparam Fences, Reduction as for basic_counter_barrier.
template <class Fences, class Reduction = no_reduction>
class basic_autotuned_barrier : public basic_counter_barrier<Fences, Reduction> {
  using base = basic_counter_barrier<Fences, Reduction>;

 public:
  explicit basic_autotuned_barrier(const launch_shape& shape, const stream& on = {})
      : basic_autotuned_barrier(shape, plans_of(on), on) {}

  /// \param table plans of one's own.
  basic_autotuned_barrier(const launch_shape& shape, const plan_table& table, const stream& on = {})
      : base(shape, plan_for(table, checked(shape).blocks, shape.threads_per_block),
             /*vary_first_poll=*/true, on),
        table_(table.name) {}

  /// The name of the table with the plan.
  std::string_view plan_table_name() const { return table_; }

 private:
  static const plan_table& plans_of(const stream& on) {
    const device_guard here(on.device());
    return plans_for(current_gpu());
  }

  std::string_view table_;
};

using autotuned_barrier = basic_autotuned_barrier<counter_fences>;

}  // namespace finesync::inline FINESYNC_ABI
