// The competition for any lock of the library's interface.
#pragma once

#include "compete.cuh"
#include "stage.hpp"

#include <finesync/device/gpu.cuh>
#include <finesync/device/launch.cuh>
#include <workloads/contest/fairness.hpp>
#include <workloads/contest/grid.cuh>
#include <workloads/contest/pace.cuh>
#include <workloads/contest/timing.hpp>
#include <workloads/contest/wait_probe.cuh>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>

namespace finesync::mutex {

template <class Lock, class Section>
class lock_competition final : public trial {
 public:
  explicit lock_competition(const setup& how)
      : how_(how),
        shape_(grid_of(how)),
        stage_(how, shape_.blocks),
        lock_(1, lock_spacing::padded, std::size_t{shape_.blocks} * shape_.threads_per_block),
        no_lock_(1, lock_spacing::padded) {}

  void reset() override {
    stage_.reset();
    lock_.reset();
    dog_.reset();
  }

  void launch() override { start(lock_, all_rounds(), contest::unwatched{}); }

  outcome check() override { return ending(how_.rounds); }

  std::map<std::string, double> watch() override {
    std::map<std::string, double> seen;
    seen["blocks"] = shape_.blocks;
    if (current_gpu().simulated) return seen;
    constexpr unsigned repeats = 5;
    const double rest = contest::median_seconds(
        [&] { reset(); }, [&] { start(no_lock_, all_rounds(), contest::unwatched{}); }, repeats);
    seen["rest_ns_per_operation"] = rest * 1e9 / operations();

    reset();
    const contest::wait_record waits(shape_.blocks);
    start(lock_, contest::fairness_run, waits.probe());
    if (waits.report(ending(0), seen))
      contest::report(contest::fairness_of(stage_.acquisitions_by_block()), "acquisitions", seen);
    return seen;
  }

  double operations() const override { return double{1} * shape_.blocks * how_.rounds; }

 private:
  static constexpr std::size_t shared_bytes =
      has_block_slot<Lock> ? sizeof(block_slots<Lock, 1>) : 0;

  contest::for_rounds all_rounds() const { return {how_.rounds}; }

  Section section() const {
    if constexpr (Section::whole_block) {
      return {stage_.words(), how_.ldst};
    } else if constexpr (std::is_empty_v<Section>) {
      return {};
    } else {
      return {stage_.words()};
    }
  }

  template <class Any, class Pace, class Probe>
  void start(const lock_table<Any>& lock, const Pace& pace, const Probe& probe) {
    launch_cooperative(compete<Any, Section, Pace, Probe>, shape_, lock.ref(), section(),
                       stage_.acquisitions(), pace, dog_.ref(), probe);
  }

  outcome ending(unsigned rounds) {
    synchronize();
    if (dog_.fired()) {
      return contest::given_up("a block", dog_.limit_ns(), "the lock");
    }
    if constexpr (carries_word<Lock> && !std::is_empty_v<Section>) {
      launch_independent(unload<Lock>, {.blocks = 1, .threads_per_block = 1}, lock_.ref(),
                         stage_.words());
      synchronize();
    }
    return stage_.judge(rounds);
  }

  // All kernels must fit: those that watch run on the timed one's grid.
  static launch_shape grid_of(const setup& how) {
    const unsigned cluster_blocks = has_block_slot<Lock> ? how.cluster_blocks : 1;
    const auto fitting = [&](auto* kernel) {
      return max_resident_blocks(kernel, how.threads_per_block, shared_bytes, cluster_blocks);
    };
    const unsigned resident =
        std::min({fitting(compete<Lock, Section, contest::for_rounds, contest::unwatched>),
                  fitting(compete<Lock, Section, contest::for_duration, contest::wait_probe>),
                  fitting(compete<unlocked, Section, contest::for_rounds, contest::unwatched>)});
    if constexpr (!has_block_slot<Lock>) {
      return contest::grid_of(how.blocks_per_sm, how.threads_per_block, resident, shared_bytes);
    } else {
      return grid_of_clusters(how, resident);
    }
  }

  /// The whole clusters among the blocks asked for. A cluster stays within a GPC, and not all have
  /// SMs that its size divides: where an eighth of the blocks or less finds no room, the rest run.
  static launch_shape grid_of_clusters(const setup& how, unsigned resident) {
    const unsigned asked = how.blocks_per_sm * static_cast<unsigned>(current_gpu().sms);
    launch_shape shape{.blocks = std::min(asked, resident),
                       .threads_per_block = how.threads_per_block,
                       .shared_bytes = shared_bytes,
                       .cluster_blocks = how.cluster_blocks};
    shape.blocks -= shape.blocks % how.cluster_blocks;
    if (shape.blocks == 0 || shape.blocks < asked - asked / 8) {
      shape.blocks = asked;
      refuse_launch(shape, resident);
    }
    return shape;
  }

  setup how_;
  launch_shape shape_;
  stage stage_;
  lock_table<Lock> lock_;
  lock_table<unlocked> no_lock_;
  watchdog dog_;
};

/// The competition with the section that the setup asks for.
template <class Lock>
std::unique_ptr<trial> compete_for(const setup& how) {
  if (how.empty_section) {
    if (how.ldst != 0) throw std::invalid_argument("an empty section has no loads and stores");
    return std::make_unique<lock_competition<Lock, nothing>>(how);
  }
  if (how.ldst == 0) return std::make_unique<lock_competition<Lock, plain_counter>>(how);
  if constexpr (carries_word<Lock>) {
    throw std::invalid_argument("a lock that carries the word protects no others: --ldst 0");
  } else {
    return std::make_unique<lock_competition<Lock, block_counters>>(how);
  }
}

/// The same for a primitive with a back-off that suits it and for it without.
template <class Patient, class Impatient>
std::unique_ptr<trial> compete_either(const setup& how) {
  return how.backoff ? compete_for<Patient>(how) : compete_for<Impatient>(how);
}

/// The same for a primitive that knows one way to wait.
template <class Lock>
std::unique_ptr<trial> compete_as_is(const setup& how) {
  if (!how.backoff) throw std::invalid_argument("it has no back-off to go without: --backoff 1");
  return compete_for<Lock>(how);
}

// Of queues: a slot for each block that the largest GPU holds, so that no two share a line.
inline constexpr unsigned slots = 8192;

}  // namespace finesync::mutex
