// How long a lock is nobody's, from one thread's release to another's claim, where that one waited
// already (ASPLOS'19, table 3): of locks that are held together, each for itself. Instrumented runs
// are never the timed ones.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/multi_object/multi_lock.cuh>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace finesync::atm {

/// Sums over all locks and threads.
struct handoff_totals_ref {
  cell<std::uint64_t>* transfers;
  cell<std::uint64_t>* ns;

  __device__ void add(std::uint64_t more_transfers, std::uint64_t more_ns) const {
    if (more_transfers == 0) return;
    using word = atomic_ref<std::uint64_t, scope::device>;
    word(*transfers).fetch_add(more_transfers, memory_order::relaxed);
    word(*ns).fetch_add(more_ns, memory_order::relaxed);
  }
};

/// The host's side.
class handoff_record {
 public:
  explicit handoff_record(std::size_t locks) : released_at_(locks), totals_(2) {
    released_at_.fill_bytes(0);
    totals_.fill_bytes(0);
  }

  handoff_totals_ref totals() const { return {totals_.device_data(), totals_.device_data() + 1}; }
  cell<std::uint64_t>* released_at() const { return released_at_.device_data(); }

  /// \param sections of the run.
  bench::counters describe(std::uint32_t sections) const {
    const auto sums = totals_.to_host();
    bench::counters seen = {
        {"lock_transfers_per_operation", static_cast<double>(sums[0]) / sections}};
    const gpu_properties gpu = current_gpu();
    if (sums[0] == 0 || gpu.simulated) return seen;  // whose clock is nominal
    const double ns = static_cast<double>(sums[1]) / static_cast<double>(sums[0]);
    seen["lock_transfer_ns"] = ns;
    seen["lock_transfer_cycles"] = ns * gpu.clock_khz * 1e-6;
    return seen;
  }

 private:
  buffer<std::uint64_t> released_at_;
  buffer<std::uint64_t> totals_;
};

/// What a thread sees of the two locks that it takes for a transfer. A claim that is withdrawn
/// counts for nothing.
class handoff_observer {
 public:
  __device__ handoff_observer(cell<std::uint64_t>* released_at, const handoff_totals_ref& totals)
      : released_at_(released_at), totals_(totals) {}

  /// \param first of the two locks.
  __device__ void begin(std::uint32_t first) {
    first_ = first;
    began_ = global_time_ns();
  }
  __device__ void entered(std::uint32_t lock) {
    const std::uint64_t released = time_of(lock).load(memory_order::relaxed);
    const std::uint64_t now = global_time_ns();
    pending(lock) = released > began_ && now >= released ? now - released + 1 : 0;
  }
  __device__ void leaving(std::uint32_t lock) {
    if (pending(lock) != 0) {
      ns_ += pending(lock) - 1;
      ++transfers_;
    }
    time_of(lock).store(global_time_ns(), memory_order::relaxed);
  }
  __device__ void finish() const { totals_.add(transfers_, ns_); }

 private:
  __device__ std::uint64_t& pending(std::uint32_t lock) {
    return lock == first_ ? pending_of_first_ : pending_of_second_;
  }
  __device__ atomic_ref<std::uint64_t, scope::device> time_of(std::uint32_t lock) const {
    return atomic_ref<std::uint64_t, scope::device>(released_at_[lock]);
  }

  cell<std::uint64_t>* released_at_;
  handoff_totals_ref totals_;
  std::uint32_t first_ = 0;
  std::uint64_t began_ = 0;
  std::uint64_t pending_of_first_ = 0;  ///< of a lock that is held: its transfer and 1, or none
  std::uint64_t pending_of_second_ = 0;
  std::uint64_t transfers_ = 0;
  std::uint64_t ns_ = 0;
};

/// A lock of a server under observation. Those who are refused say so, and what it saw is in its
/// state: a transfer is counted where somebody was, since it was taken.
class observed_block_lock : public tas_lock<scope::block> {
  using base = tas_lock<scope::block>;

 public:
  struct state : base::state {
    cell<std::uint32_t> wanted;
    cell<std::uint32_t> released;  ///< when, in ns and never 0; 0: nobody waited
    cell<std::uint32_t> transfers;
    cell<std::uint32_t> ns;
  };

  __device__ explicit observed_block_lock(state& s) : base(s), state_(s) {}

  __device__ bool try_enter(acquisition& r) {
    if (!base::try_enter(r)) {
      wanted().store(1, memory_order::relaxed);
      return false;
    }
    wanted().store(0, memory_order::relaxed);
    if (state_.released != 0) {
      state_.ns = state_.ns + now() - state_.released;
      state_.transfers = state_.transfers + 1;
    }
    return true;
  }
  __device__ void leave(acquisition& r) {
    state_.released = wanted().load(memory_order::relaxed) != 0 ? now() : 0;
    base::leave(r);
  }

 private:
  __device__ atomic_ref<std::uint32_t, scope::block> wanted() const {
    return atomic_ref<std::uint32_t, scope::block>(state_.wanted);
  }
  __device__ static std::uint32_t now() { return static_cast<std::uint32_t>(global_time_ns()) | 1; }

  state& state_;
};

/// A lock under an observer.
template <class Lock>
class observed_lock : public Lock {
 public:
  using typename Lock::acquisition;

  __device__ observed_lock(const Lock& lock, std::uint32_t number, handoff_observer& observer)
      : Lock(lock), number_(number), observer_(&observer) {}

  __device__ bool try_enter(acquisition& r) { return seen(Lock::try_enter(r)); }
  __device__ void leave(acquisition& r) {
    observer_->leaving(number_);
    Lock::leave(r);
  }
  __device__ bool try_acquire_relaxed(acquisition& r) requires unfenced_try_lock<Lock> {
    return seen(Lock::try_acquire_relaxed(r));
  }
  __device__ void release_relaxed(acquisition& r) requires unfenced_try_lock<Lock> {
    observer_->leaving(number_);
    Lock::release_relaxed(r);
  }

 private:
  __device__ bool seen(bool got) {
    if (got) observer_->entered(number_);
    return got;
  }

  std::uint32_t number_;
  handoff_observer* observer_;
};

/// The locks of a table under an observer.
template <class Table>
struct observed_locks {
  using lock = decltype(std::declval<const Table&>()[0]);

  Table table;
  handoff_observer* observer;

  __device__ observed_lock<lock> operator[](std::size_t index) const {
    return {table[index], static_cast<std::uint32_t>(index), *observer};
  }
  __device__ auto& state(std::size_t index) const { return table.state(index); }
};

/// A table of which each thread has an observer.
template <class Table>
struct observed_table {
  Table table;
  cell<std::uint64_t>* released_at;
  handoff_totals_ref totals;

  __device__ handoff_observer observer() const { return {released_at, totals}; }
  __device__ observed_locks<Table> under(handoff_observer& observer) const {
    return {table, &observer};
  }
};

}  // namespace finesync::atm
