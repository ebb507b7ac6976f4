// The simplest correct grid barrier, one counter that all blocks increment and poll, and its broken
// variants. The verification of barriers must accept the former and reject the latter.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/barriers/overlap.cuh>
#include <finesync/device/fence.cuh>

#include <tests/library/harness/run.hpp>

namespace finesync::test {

enum class flaw {
  none,
  no_release,      ///< arrives before its stores are visible
  no_acquire,      ///< continues with stale data in its SM's cache
  leaves_early,    ///< does not wait for the last block
  never_waits,     ///< is no barrier at all
  never_opens,     ///< waits for one block more than there are
  opens_twice,     ///< opens twice and then never again
  forgets_the_sm,  ///< is correct for the grid, but has no barrier per SM
  skips_work,      ///< runs no work next to the barrier
  works_twice,     ///< runs it twice
};

template <flaw Flaw>
class breakable_barrier {
  using counter = atomic_ref<std::uint64_t, scope::device>;

 public:
  /// The part of a block's first thread.
  class block_participant {
   public:
    static constexpr unsigned callers = 1;

    __device__ block_participant(cell<std::uint64_t>& arrived, const watchdog_ref& watchdog)
        : arrived_(arrived), watchdog_(watchdog) {}

    __device__ bool sync_for_block() {
      arrive_for_block();
      return wait_for_block();
    }
    __device__ void arrive_for_block() {
      if constexpr (Flaw == flaw::never_waits) return;
      if constexpr (Flaw != flaw::no_release) fence<memory_order::release, scope::device>();
      const std::uint64_t before = arrived_.fetch_add(1, memory_order::relaxed);
      full_ = before - before % gridDim.x + gridDim.x;
      if constexpr (Flaw == flaw::leaves_early) full_ -= 1;
      if constexpr (Flaw == flaw::never_opens) full_ += gridDim.x;
    }
    __device__ bool wait_for_block() {
      if constexpr (Flaw == flaw::never_waits) return true;
      bounded_wait wait(watchdog_);
      // Changes memory constantly; else the executor reports a livelock before the watchdog does.
      if (Flaw == flaw::opens_twice && full_ > 2 * gridDim.x)
        while (arrived_.fetch_add(1, memory_order::relaxed) != 0)
          if (wait.timed_out()) return false;
      while (arrived_.load(memory_order::relaxed) < full_)
        if (wait.timed_out()) return false;
      if constexpr (Flaw != flaw::no_acquire) fence<memory_order::acquire, scope::device>();
      return true;
    }

   private:
    counter arrived_;
    watchdog_ref watchdog_;
    std::uint64_t full_ = 0;
  };

  class participant : public with_overlap<block_participant> {
   public:
    using with_overlap<block_participant>::with_overlap;

    /// A barrier of all blocks includes the blocks of an SM.
    __device__ bool wait_on_sm() { return Flaw == flaw::forgets_the_sm || this->wait(); }

    template <class Work>
    __device__ bool wait_overlapped(Work work) {
      if constexpr (Flaw == flaw::skips_work)
        return this->wait();
      else if constexpr (Flaw == flaw::works_twice)
        return with_overlap<block_participant>::wait_overlapped([&] {
          work();
          work();
        });
      else
        return with_overlap<block_participant>::wait_overlapped(work);
    }
  };

  class ref_type {
   public:
    using participant = typename breakable_barrier::participant;
    explicit ref_type(cell<std::uint64_t>* arrived) : arrived_(arrived) {}
    __device__ participant join(const watchdog_ref& watchdog) const {
      return participant(*arrived_, watchdog);
    }

   private:
    cell<std::uint64_t>* arrived_;
  };

  explicit breakable_barrier(const launch_shape&) : arrived_(1) { reset(); }
  void reset() { arrived_.fill_bytes(0); }
  ref_type ref() const { return ref_type(arrived_.device_data()); }

 private:
  buffer<std::uint64_t> arrived_;
};

}  // namespace finesync::test
