// The experiments for any queue with the interface of ring_queue.
#pragma once

#include "carry.cuh"
#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace finesync::queue {

/// Queues that one kernel fills and the next empties.
template <class Queue>
inline constexpr bool is_in_phases = requires {
  requires Queue::in_phases;
};

/// Queues that draw tickets only once there is room or an item: each warp by itself.
template <class Queue>
inline constexpr bool draws_tickets_late = requires {
  requires Queue::draws_tickets_late;
};

/// Blocks that carry items. `Queue` is the owner.
template <class Queue, unsigned Items, bool ByBlock>
class carry_experiment final : public bench::experiment {
 public:
  explicit carry_experiment(const run_config& config)
      : config_(checked(config)),
        blocks_(blocks_of(config)),
        capacity_(capacity_of(config, blocks_)),
        queue_(capacity_),
        shape_(grid()),
        traced_rounds_(static_cast<unsigned>(
            std::clamp<std::uint64_t>(most_traced / items_in_round(), 1, config.rounds))),
        seen_(std::size_t{shape_.blocks} * shape_.threads_per_block,
              items_in_round() * traced_rounds_) {}

  void reset() override {
    queue_.reset();
    seen_.reset();
    watchdog_.reset();
  }

  void launch() override { start(config_.rounds, seen_.untraced()); }

  bench::outcome verify() override {
    bench::outcome ended = ending(config_.rounds);
    if (!ended.ok()) return ended;
    reset();
    start(traced_rounds_, seen_.traced());
    ended = ending(traced_rounds_);
    return ended.ok() ? seen_.verify_order(std::size_t{traced_rounds_} * Items) : ended;
  }
  std::string unverified() const override {
    return "that each item is popped once and those of a thread in its order, by a run that traces "
           "them after each";
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    workload::add_parameter(effective, "pushing_blocks", blocks_.pushing);
    workload::add_parameter(effective, "popping_blocks", blocks_.popping);
    workload::add_parameter(effective, "slots", static_cast<unsigned>(capacity_));
    return effective;
  }

  double operations() const override {
    return static_cast<double>(items_in_round()) * config_.rounds;
  }

 private:
  using ref = typename Queue::ref_type;
  static constexpr std::uint64_t most_traced = 1 << 21;

  static const run_config& checked(const run_config& config) {
    workload::expect_whole_warps(config.threads_per_block);
    if constexpr (is_in_phases<Queue>)
      if (config.roles != traffic::both)
        throw bench::infeasible(
            "one kernel fills this queue and the next empties it: use "
            "--traffic both");
    return config;
  }

  static roles blocks_of(const run_config& config) {
    const unsigned all = config.blocks_per_sm * static_cast<unsigned>(current_gpu().sms);
    switch (config.roles) {
      case traffic::halves:
        return {all / 2, all - all / 2, 0, 0};
      case traffic::fan_in:
        return {all - 1, 1, 0, 0};
      case traffic::fan_out:
        return {1, all - 1, 0, 0};
      case traffic::both:
        return {all, all, 0, 0};
      default:
        return {1, 1, 0, 0};
    }
  }

  std::uint64_t items_in_round() const {
    return std::uint64_t{blocks_.pushing} * config_.threads_per_block * Items;
  }

  static std::size_t capacity_of(const run_config& config, const roles& blocks) {
    const std::size_t on_their_way = std::size_t{blocks.pushing} * config.threads_per_block * Items;
    if constexpr (is_in_phases<Queue>) return on_their_way * config.rounds;
    if (config.capacity == 0) return std::bit_ceil(std::max<std::size_t>(512, 2 * on_their_way));
    if (config.roles == traffic::both && config.capacity < on_their_way)
      throw bench::infeasible("all blocks push before they pop, which needs --capacity " +
                              std::to_string(std::bit_ceil(on_their_way)));
    return config.capacity;
  }

  launch_shape grid() const {
    const bool both = config_.roles == traffic::both;
    const launch_shape shape{.blocks = both ? blocks_.pushing : blocks_.pushing + blocks_.popping,
                             .threads_per_block = config_.threads_per_block,
                             .shared_bytes = shared_before_queue + queue_.ref().shared_bytes()};
    const unsigned resident = workload::resident_of_all(shape, carry<Items, ByBlock, ref>);
    if (shape.blocks > resident || blocks_.pushing == 0 || blocks_.popping == 0)
      refuse_launch(shape, resident);
    return shape;
  }

  void start(unsigned rounds, const carried_items_ref& seen) {
    const auto run = [&](unsigned pushing, unsigned popping, unsigned pop_rounds) {
      launch_cooperative(carry<Items, ByBlock, ref>, shape_, queue_.ref(),
                         roles{pushing, popping, rounds, pop_rounds}, seen, watchdog_.ref());
    };
    if constexpr (is_in_phases<Queue>) {
      run(blocks_.pushing, 0, rounds);
      run(0, blocks_.popping, rounds);
    } else {
      run(blocks_.pushing, blocks_.popping, 0);
    }
  }

  bench::outcome ending(unsigned rounds) const {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended, seen_.popped());
    return seen_.verify(items_in_round() * rounds);
  }

  run_config config_;
  roles blocks_;
  std::size_t capacity_;
  Queue queue_;
  launch_shape shape_;
  unsigned traced_rounds_;
  carried_items seen_;
  watchdog watchdog_;
};

/// One item there and back, by two queues.
template <class Queue, bool Ahead>
class ping_experiment final : public bench::experiment {
 public:
  explicit ping_experiment(const run_config& config)
      : rounds_(config.rounds),
        there_(capacity_of(config)),
        back_(capacity_of(config)),
        shape_{.blocks = std::max(2u, static_cast<unsigned>(current_gpu().sms)),
               .threads_per_block = 32,
               .shared_bytes = shared_before_queue + 2 * there_.ref().shared_bytes()},
        seen_(shape_.threads_per_block, 0) {}

  void reset() override {
    there_.reset();
    back_.reset();
    seen_.reset();
    watchdog_.reset();
  }

  void launch() override {
    launch_cooperative(ping<Ahead, ref>, shape_, there_.ref(), back_.ref(), rounds_,
                       seen_.untraced(), watchdog_.ref());
  }

  bench::outcome verify() override {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended, seen_.popped());
    return seen_.verify(rounds_);
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    workload::add_parameter(effective, "slots", static_cast<unsigned>(there_.capacity()));
    return effective;
  }

  double operations() const override { return 2.0 * rounds_; }

 private:
  using ref = typename Queue::ref_type;

  static std::size_t capacity_of(const run_config& config) {
    return config.capacity == 0 ? 4096 : config.capacity;
  }

  unsigned rounds_;
  Queue there_;
  Queue back_;
  launch_shape shape_;
  carried_items seen_;
  watchdog watchdog_;
};

template <class Queue, unsigned Items>
std::unique_ptr<bench::experiment> carry_with(const run_config& config) {
  if constexpr (draws_tickets_late<Queue>) {
    if (config.by_block)
      throw bench::infeasible("the warps of this queue draw their tickets: use --tickets warp");
  } else if (config.by_block) {
    return std::make_unique<carry_experiment<Queue, Items, true>>(config);
  }
  return std::make_unique<carry_experiment<Queue, Items, false>>(config);
}

/// The experiment with items of the configured size.
template <template <class> class Queue, unsigned Bytes>
std::unique_ptr<bench::experiment> experiment_of_size(const run_config& config) {
  using queue = Queue<numbered_item<Bytes>>;
  if (config.roles == traffic::ping || config.roles == traffic::ping_ahead) {
    if (is_in_phases<queue>)
      throw bench::infeasible(
          "one kernel fills this queue and the next empties it: use --traffic "
          "both");
    if (config.items != 1 || config.by_block)
      throw bench::infeasible("one item goes there and back: use --items 1 --tickets warp");
    if (config.roles == traffic::ping)
      return std::make_unique<ping_experiment<queue, false>>(config);
    if constexpr (draws_tickets_late<queue>)
      throw bench::infeasible("no place of this queue is taken ahead: use --traffic ping");
    else
      return std::make_unique<ping_experiment<queue, true>>(config);
  }
  if (config.items == 1) return carry_with<queue, 1>(config);
  if (config.items == 4) return carry_with<queue, 4>(config);
  throw bench::infeasible("--items is 1 or 4");
}

template <template <class> class Queue>
std::unique_ptr<bench::experiment> experiment_with(const run_config& config) {
  if (config.item_bytes == 4) return experiment_of_size<Queue, 4>(config);
  if (config.item_bytes == 8) return experiment_of_size<Queue, 8>(config);
  if (config.item_bytes == 16) return experiment_of_size<Queue, 16>(config);
  throw bench::infeasible("--item-bytes is 4, 8 or 16");
}

}  // namespace finesync::queue
