// The default grid barrier: a counter barrier with the plan measured fastest for grids of this
// shape. The constructor then tunes the time of the first poll on the GPU in use.
//
// Use: autotuned_barrier barrier(shape); pass barrier.ref() to the kernel, then as
//   grid_barrier.cuh.
// Contract: counter_barrier.cuh.
#pragma once

#include "finesync/barriers/counter_barrier.cuh"

namespace finesync::inline FINESYNC_ABI {

/// The fastest plan found by `barrier --tune` for grids up to this size.
struct measured_plan {
  unsigned blocks;
  unsigned threads_per_block;
  counter_plan plan;
};

/// Measured on an H200 (132 SMs; results/nvidia-h200), in SM cycles. The best plan depends mainly
/// on the number of arrivals per line, so the same list serves other GPUs, though less well. There,
/// measure with `barrier --primitive flat_counters,sm_counters,gather_broadcast --tune`.
inline constexpr measured_plan measured_plans[] = {
    {132, 64, {.counters = 1, .first_poll = 230}},
    {264, 64, {.counters = 2, .first_poll = 250}},
    {528, 64, {.counters = 4, .first_poll = 400}},
    {1056, 64, {.counters = 8, .replicas = 2, .first_poll = 500}},
    {2112, 64, {.counters = 8, .replicas = 2, .first_poll = 750}},
    {4224,
     64,
     {.how = counter_topology::gather_broadcast,
      .counters = 16,
      .replicas = 16,
      .first_poll = 250}},
    {132, 256, {.counters = 1, .first_poll = 250}},
    {264, 256, {.counters = 2, .first_poll = 300}},
    {528, 256, {.counters = 4, .first_poll = 400}},
    {1056, 256, {.counters = 8, .replicas = 2, .first_poll = 550}},
    {132, 1024, {.counters = 1, .first_poll = 250}},
    {264, 1024, {.counters = 2, .first_poll = 250}},
};

/// \param threads_per_block 1 to 1,024.
/// \returns the first plan that is large enough for the shape. If the grid has more blocks than any
/// plan for its block size, the last of those plans.
constexpr counter_plan measured_plan_for(unsigned blocks, unsigned threads_per_block) {
  unsigned size = 0;
  const measured_plan* best = nullptr;
  for (const measured_plan& each : measured_plans) {
    if (each.threads_per_block < threads_per_block) continue;
    if (size != 0 && each.threads_per_block != size) break;
    size = each.threads_per_block;
    best = &each;
    if (each.blocks >= blocks) break;
  }
  return best->plan;
}

/// \tparam Fences, Reduction as for basic_counter_barrier.
template <class Fences, class Reduction = no_reduction>
class basic_autotuned_barrier : public basic_counter_barrier<Fences, Reduction> {
  using base = basic_counter_barrier<Fences, Reduction>;
  using base::plan_;

 public:
  explicit basic_autotuned_barrier(const launch_shape& shape, const stream& on = {})
      : base(shape, measured_plan_for(checked(shape).blocks, shape.threads_per_block), on) {
    const device_guard here(on.device());
    if (!current_gpu().simulated) choose_first_poll(shape);
  }

 private:
  // Cards of one GPU model differ in where their SMs lie. A poll that just misses the last arrival
  // costs another round trip.
  void choose_first_poll(const launch_shape& shape) {
    const unsigned measured = plan_.first_poll;
    unsigned best = measured;
    std::uint64_t least = ~std::uint64_t{0};
    for (unsigned percent = 60; percent <= 160; percent += 20) {
      plan_.first_poll = measured * percent / 100;
      const std::uint64_t cycles = this->try_out(shape);
      if (cycles >= least) continue;
      least = cycles;
      best = plan_.first_poll;
    }
    plan_.first_poll = best;
  }
};

using autotuned_barrier = basic_autotuned_barrier<counter_fences>;

}  // namespace finesync::inline FINESYNC_ABI
