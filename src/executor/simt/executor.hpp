// SPDX-License-Identifier: Apache-2.0
// The executor: resident blocks, their threads, and the one function that every device operation
// passes through.
#pragma once

#include <simt/arena.hpp>
#include <simt/async_threads.hpp>
#include <simt/device_api.hpp>
#include <simt/grid_layout.hpp>
#include <simt/launch.hpp>
#include <simt/memory/async_copies.hpp>
#include <simt/memory/memory_mode.hpp>
#include <simt/named_barrier.hpp>
#include <simt/races/race_detector.hpp>
#include <simt/random.hpp>
#include <simt/threads/fiber.hpp>
#include <simt/threads/schedule.hpp>

#include <array>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simt {

class executor {
 public:
  /// \param grids of this shape, at least one.
  executor(const settings& s, const grid_shape& grid, std::span<const grid_on_gpu> grids,
           stack_pool& stacks);
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;

  launch_result run(void (*entry)(void*));

  // The kernel's side: called on a fiber, see device_api.hpp.
  word perform(const operation& op, const void* site);
  word warp_collective(collective kind, std::uint32_t mask, const word& value,
                       std::uint32_t argument);
  std::uint32_t converged_lanes(const void* site);
  std::uint32_t block_barrier(bool vote);
  void cluster_barrier(memory_order order);
  void named_barrier(std::uint32_t number, std::uint32_t threads, bool waits);
  void begin_copy(void* to, const void* from, std::size_t bytes, const void* batch,
                  const void* site);
  void wait_for_copies(const void* batch, const void* site);
  void start_async(async_work given, const void* site);
  void end_async_reads();
  void wait_for_async(const void* batch, async_part part);
  void proxy_fence() {
    if (races_) races_->proxy_fence(*current);
  }
  void* in_block(void* own, std::uint32_t rank);
  void note_arrival_counter(const void* word, std::uint32_t arrivals_per_phase) {
    arrival_counters_[word] = arrivals_per_phase;
  }
  /// Ends the launch because code has accessed an address that the process does not have.
  [[noreturn]] void fail_at(const void* address, const void* code) {
    fail({.kind = fault_kind::bad_address,
          .subject = current,
          .address = address,
          .bytes = 1,
          .site = code});
  }
  /// Called at a basic block that needs a closer look: see basic_block_watch.
  void enter_basic_block(std::uintptr_t program_counter, std::uintptr_t stack_pointer);

  const grid_shape& grid() const { return grid_; }
  std::uint64_t clock_ns() {
    clock_is_read_ = true;
    return settings_.clock_starts_ns + (time_ >> time_bits);
  }

 private:
  struct sleeper {
    std::uint64_t wake;
    std::uint32_t number;
    bool operator>(const sleeper& other) const {
      return wake != other.wake ? wake > other.wake : number > other.number;
    }
  };

  struct alignas(256) shared_line {
    std::array<std::byte, 256> bytes;
  };
  std::byte* shared_memory() { return reinterpret_cast<std::byte*>(shared_memory_.data()); }

  /// Recorded on a fiber, whose stack is too small for text; reported by diagnose().
  struct failure {
    fault_kind kind;
    const thread* subject = nullptr;
    const void* address = nullptr;
    /// Bytes of the access; for a misaligned one the required alignment; for a barrier its threads.
    std::size_t bytes = 0;
    std::uint32_t mask = 0;
    std::uint32_t lane = 0;      ///< or the number of a barrier
    const void* site = nullptr;  ///< of an access
  };

  // executor.cpp: residency and the main loop
  void start_cluster(cluster_state& slot);
  void start_block(block_state& slot);
  void start_thread(thread& t, std::uint32_t linear);
  void begin_fiber(thread& t);
  [[noreturn]] static void fiber_main(fiber_transfer arrival);
  [[noreturn]] void finish_current();
  void finish_thread(const thread& self);
  void set_live(std::uint32_t threads);
  void switch_to(thread& next);
  void return_to_host();
  void arrive_from(const fiber_transfer& arrival, void* frames);
  stack_range stack_of(const thread& t) const;

  // running.cpp: operations, scheduling and waiting
  void begin_operation(op_kind kind, scope reach, space where);
  void reschedule();
  bool keeps_turn(const operation& op);
  thread* next_thread(const thread* after);
  void wait_as(thread_state state);
  void make_runnable(thread& t);
  void sleep_until(std::uint64_t wake);
  void wake_sleepers();
  word access(const operation& op, space where, const void* site);
  void note_access(thread& self, const operation& op, const effect& done, space where,
                   const void* site);
  space checked_space(const operation& op, const void* site);
  void check_progress();
  bool all_poll() const;
  bool all_have_had_turns(std::uint64_t turns) const;
  [[noreturn]] void fail(const failure& what);
  void show_race();

  // copying.cpp
  void check_for_copy(const operation& op, const void* site);

  // async_threads.cpp
  struct async_batch {
    std::uint32_t reading = 0;
    std::uint32_t running = 0;
    std::unique_ptr<release_clock> read;  ///< by those that have read
    std::unique_ptr<release_clock> done;  ///< by those that have ended
  };
  struct async_state {
    std::function<void()> body;
    async_batch* batch = nullptr;
    const async_wait* wait = nullptr;
    const void* late_at = nullptr;  ///< where it was when the block of that memory had ended
  };
  async_state& async_of(const thread& t) { return async_[t.number - first_async_]; }
  const async_state& async_of(const thread& t) const { return async_[t.number - first_async_]; }
  bool is_late(const thread& t) const {
    return t.started_by != nullptr && async_of(t).late_at != nullptr;
  }
  void finish_async();
  void wake_starter(const thread& of);
  void forget_batches(const cluster_state& of);

  // collectives.cpp
  static std::uint32_t lanes_at(const warp_state& warp, collective kind, std::uint32_t mask);
  void check_mask(const thread& self, collective kind, std::uint32_t mask, std::uint32_t arrived);
  void work_together(warp_state& warp, std::uint32_t mask);
  void finish_collective(warp_state& warp, std::uint32_t mask);
  void finish_convergence(warp_state& warp, const void* site);
  void finish_complete_convergence(warp_state& warp);
  std::uint32_t lanes_at_convergence(const warp_state& warp, const void* site) const;
  failure explain_deadlock() const;
  void check_leaving(const thread& self);

  // named_barriers.cpp
  std::size_t place_of_barrier(const block_state& block, std::uint32_t number) const {
    return static_cast<std::size_t>(&block - blocks_.data()) * named_barriers + number;
  }
  named_barrier_state& named_barrier_of(const block_state& block, std::uint32_t number) {
    return named_barriers_[place_of_barrier(block, number)];
  }
  void call_by_number(block_state& block);
  void arrive(std::uint32_t number, std::uint32_t threads, bool waits);
  void come_to(named_barrier_state& barrier, const thread& by, bool waits);
  std::uint32_t due_at(const named_barrier_state& barrier) const;
  void open_named_barrier(block_state& block, std::uint32_t number);

  // clusters.cpp
  void open_cluster_barrier(cluster_state& cluster);
  const block_state* owner_in_cluster(const thread& by, const std::byte* at,
                                      std::size_t bytes) const;
  block_state* block_with(const thread& by, const void* shared);
  std::size_t cluster_slot(const block_state& block) const {
    return static_cast<std::size_t>(&block - blocks_.data()) / grid_.cluster_blocks;
  }
  cluster_state& cluster_of(const block_state& block) { return clusters_[cluster_slot(block)]; }
  thread& lane_of(const warp_state& warp, std::uint32_t lane) {
    return threads_[static_cast<std::size_t>(&warp - warps_.data()) * warp_size + lane];
  }

  // diagnosis.cpp: on the host's stack, after the failure
  fault diagnose() const;
  std::string name_of(const thread& t) const;
  std::string place_of(const void* address) const;
  std::string explain_address(const thread& by, const void* address) const;
  void explain_divergence(fault& to) const;
  void explain_copy(fault& to) const;
  void explain_late_copy(fault& to) const;

  // waits_report.cpp: the same, of a launch in which threads wait for ever
  std::string thread_summary() const;
  void add_waiting(fault& to) const;
  void add_barriers_waited_at(fault& to) const;
  void add_collectives_waited_in(fault& to) const;
  void add_poll_targets(fault& to) const;
  std::string writer_of(const void* address) const;
  const thread* find_thread(std::uint32_t block, std::uint32_t number) const;

  static constexpr unsigned time_bits = 16;
  static constexpr std::uint64_t round_ns = 512;  ///< nominal: about one round trip to the L2
  static constexpr std::uint64_t patience_rounds = 1 << 12;       ///< when all threads poll
  static constexpr std::uint64_t long_patience_rounds = 1 << 18;  ///< in any case

  const settings settings_;
  const grid_shape grid_;
  stack_pool& stacks_;
  const arena& global_ = global_memory();
  const grid_layout layout_;
  std::uint32_t threads_per_block_;
  std::uint32_t slots_per_block_;  ///< threads rounded up to whole warps
  std::uint32_t next_block_ = 0;

  std::vector<cluster_state> clusters_;
  std::vector<block_state> blocks_;                  ///< clusters one after another
  std::vector<named_barrier_state> named_barriers_;  ///< blocks one after another
  std::vector<warp_state> warps_;
  std::vector<thread> threads_;
  std::vector<shared_line> shared_memory_;
  std::size_t shared_stride_ = 0;
  std::size_t checker_stack_bytes_ = 0;  ///< at the low end of each stack
  std::unique_ptr<schedule> schedule_;
  bool per_basic_block_ = false;  ///< from the schedule
  bool keeps_turns_ = false;      ///< see keeps_turn()
  std::uint32_t turns_kept_ = 0;  ///< by the running thread, since it was switched to
  std::unique_ptr<memory_mode> memory_;
  std::unique_ptr<race_detector> races_;                   ///< null unless races are checked
  std::vector<std::uint32_t> meeting_;                     ///< threads at a barrier, for races_
  std::map<const void*, std::uint32_t> arrival_counters_;  ///< arrivals per phase, for reports
  async_copies copies_;
  std::uint32_t first_async_ = 0;  ///< slot
  std::array<async_state, async_slots> async_;
  std::deque<std::uint32_t> free_async_;          ///< the one that has ended first comes first
  std::map<std::uint32_t, async_work> starting_;  ///< by starter: it may be given up meanwhile
  std::map<std::pair<std::uint32_t, const void*>, async_batch> batches_;  ///< by starter and name
  /// The access that has met an unfinished copy.
  struct met_copy {
    async_copy copy;
    bool at_target = false;
    operation op;
    const void* site = nullptr;
  };
  std::optional<met_copy> met_copy_;
  random_source random_;

  void (*entry_)(void*) = nullptr;
  thread host_;  ///< the OS thread's own stack, as a switch target
  stack_range host_stack_;
  bool inside_ = false;  ///< an operation is under way: no switch at basic blocks
  std::uint32_t live_threads_ = 0;
  cluster_state* retired_ = nullptr;

  counters counts_;
  std::uint64_t time_ = 0;
  std::uint64_t time_step_ = 0;
  std::uint64_t time_limit_ = 0;
  std::uint64_t last_progress_ = 0;  ///< last change of memory or end of a thread
  std::uint64_t next_check_ = 0;     ///< next check whether all threads poll
  std::uint64_t seen_changes_ = 0;
  std::uint64_t longest_sleep_ = 0;
  bool clock_is_read_ = false;  ///< by a thread of this launch
  std::priority_queue<sleeper, std::vector<sleeper>, std::greater<>> sleepers_;

  /// The last writer of an address, unless another address has displaced it.
  struct last_write {
    const void* address = nullptr;
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
  };
  static constexpr std::size_t remembered_writes = 1 << 14;
  std::vector<last_write> last_writes_{remembered_writes};

  thread* racing_ = nullptr;  ///< has found a race, and goes on once it is shown
  std::optional<failure> failure_;
  std::exception_ptr escaped_;
};

/// Has wild accesses of kernels end their launch: see wild_access.cpp.
void watch_wild_accesses();

/// The executor that runs on this OS thread; null outside a launch.
inline thread_local executor* active_executor = nullptr;

}  // namespace simt
