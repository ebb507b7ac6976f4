// Broken barriers, each a barrier of the library with one mistake.
#pragma once

#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>

#include <tests/catalogue/barriers.hpp>

namespace finesync::test {

/// Synchronizes only the threads of a block.
class no_barrier {
 public:
  class participant {
   public:
    __device__ bool wait() {
      __syncthreads();
      return true;
    }
  };
  struct ref_type {
    __device__ no_barrier::participant join(const watchdog_ref&) const { return {}; }
  };
  explicit no_barrier(const launch_shape&) {}
  ref_type ref() const { return {}; }
};

/// Clusters synchronize in hardware, and one block of each then at a counter. `Released`: whether
/// blocks release their writes to their cluster, as they must.
template <bool Released>
class plain_cluster_barrier {
  using word = cell<std::uint32_t>;
  using counter = atomic_ref<std::uint32_t, scope::device>;

 public:
  class participant {
   public:
    __device__ participant(word& count, const watchdog_ref& watchdog)
        : count_(count), watchdog_(watchdog) {
      target_ = counter(count_).load(memory_order::relaxed);
      target_ += clusters() - target_ % clusters();
    }
    __device__ bool wait() {
      __syncthreads();
      if (Released && threadIdx.x == 0) fence<memory_order::release, scope::cluster>();
      cluster_sync<memory_order::relaxed>();
      bool gave_up = false;
      if (threadIdx.x == 0) {
        if (cluster_rank() == 0) {
          fence<memory_order::release, scope::device>();
          counter(count_).fetch_add(1, memory_order::relaxed);
        }
        bounded_wait wait(watchdog_);
        while (counter(count_).load(memory_order::relaxed) < target_ && !gave_up)
          gave_up = wait.timed_out();
        fence<memory_order::acquire, scope::device>();
        target_ += clusters();
      }
      return __syncthreads_or(gave_up) == 0;
    }

   private:
    __device__ static std::uint32_t clusters() { return gridDim.x / cluster_blocks(); }

    word& count_;
    watchdog_ref watchdog_;
    std::uint32_t target_;
  };
  struct ref_type {
    word* count;
    __device__ plain_cluster_barrier::participant join(const watchdog_ref& watchdog) const {
      return {*count, watchdog};
    }
  };
  explicit plain_cluster_barrier(const launch_shape&) : count_(1) { count_.fill_bytes(0); }
  ref_type ref() const { return {count_.device_data()}; }

 private:
  buffer<std::uint32_t> count_;
};

/// Blocks do not release their writes before they arrive on their SM.
struct without_release : tree_fences {
  __device__ static void release() {}
};
/// Leaders notify others before the release fence.
struct released_before_the_fence : tree_fences {
  __device__ static void acquire_release() {}
};
/// Threads may read stale data after the wait.
struct without_acquire : tree_fences {
  __device__ static void acquire() {}
  __device__ static void acquire_release() { fence<memory_order::release, scope::device>(); }
};
/// The fences of listings 2.1 and 3.1, with block scope on an SM.
struct fences_of_the_block {
  __device__ static void release() { fence<memory_order::release, scope::block>(); }
  __device__ static void acquire_release() { fence<memory_order::acq_rel, scope::block>(); }
  __device__ static void acquire() { fence<memory_order::acquire, scope::block>(); }
};

/// The trees with such fences.
template <class Fences>
struct trees_with {
  using atomic = atomic_tree_barrier<no_backoff, Fences>;
  using reversing = sense_reversing_barrier<no_backoff, Fences>;
  using lock_free = lock_free_tree_barrier<Fences>;
  using atomic_printed = atomic_tree_printed_barrier<no_backoff, Fences>;
  using reversing_printed = sense_reversing_printed_barrier<no_backoff, Fences>;
  using reversing_static_printed = sense_reversing_static_printed_barrier<no_backoff, Fences>;
  using lock_free_printed = lock_free_tree_printed_barrier<Fences>;
};

/// Listing 3.1 in its own order: the SM's sense is reversed before its leader is named.
struct sense_before_leader : finder_leads<printed_fences> {
  __device__ static void reverse(cell<std::uint32_t>& sense, std::uint32_t to,
                                 cell<std::uint32_t>& last_block) {
    printed_fences::acquire_release();
    atomic_ref<std::uint32_t, scope::device>(sense).store(to, memory_order::relaxed);
    atomic_ref<std::uint32_t, scope::device>(last_block).store(blockIdx.x, memory_order::relaxed);
  }
};
using listing_3_1 =
    sense_reversing_printed_barrier<no_backoff, printed_fences, sense_before_leader>;

/// Additions that do not release the block's writes.
struct added_without_release : counter_fences {
  __device__ static void release() {}
};
/// Threads may read stale data after the poll.
struct looked_without_acquire : counter_fences {
  __device__ static void acquire() {}
};
/// Fences of block scope.
struct counter_fences_of_the_block {
  __device__ static void release() { fence<memory_order::release, scope::block>(); }
  __device__ static void acquire() { fence<memory_order::acquire, scope::block>(); }
};

/// The three counter barriers with such fences.
template <class Fences>
struct counters_with {
  using flat_counters = planned<counter_topology::flat_counters, 4, 1, 2, Fences>;
  using sm_counters = planned<counter_topology::sm_counters, 1, 2, 2, Fences>;
  using gather_broadcast = planned<counter_topology::gather_broadcast, 4, 2, 2, Fences>;
};

/// One counter that blocks add to, or poll, without an order.
using cutlass_added_relaxed = cutlass_counter_barrier<memory_order::relaxed, memory_order::acquire>;
using cutlass_polled_relaxed =
    cutlass_counter_barrier<memory_order::release, memory_order::relaxed>;

/// One participant is not counted, so the release (the sense, say) comes before all have arrived.
template <class Participant, auto Count>
struct counts_one_less : Participant {
  __device__ counts_one_less(typename Participant::root& grid, typename Participant::level& sm,
                             sm_place place, const watchdog_ref& watchdog)
      : Participant(grid, sm, one_less(place), watchdog) {}
  __device__ static sm_place one_less(sm_place place) {
    if (place.*Count > 1) --(place.*Count);
    return place;
  }
};

template <class Participant>
using releases_early = counts_one_less<Participant, &sm_place::groups>;

template <class Participant>
using releases_its_sm_early = counts_one_less<Participant, &sm_place::blocks>;

/// Synchronizes only the threads of a block instead of those of an SM.
template <class Participant>
struct no_barrier_on_sm : Participant {
  using Participant::Participant;
  __device__ bool wait_on_sm() {
    __syncthreads();
    return true;
  }
};

/// Block 0 counts twice among the leaders.
template <class Participant>
class arrives_twice : public Participant {
 public:
  using typename Participant::level;
  using typename Participant::root;
  __device__ arrives_twice(root& grid, level& sm, const sm_place& place,
                           const watchdog_ref& watchdog)
      : Participant(grid, sm, place, watchdog), grid_(grid) {}

  __device__ bool wait() {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      atomic_ref<std::uint32_t, scope::device>(grid_.arrived.word)
          .fetch_add(1, memory_order::relaxed);
    }
    return Participant::wait();
  }

 private:
  root& grid_;
};

template <template <class> class Flaw, class Barrier>
using flawed = tree_barrier<Flaw<typename ref_of<Barrier>::participant>>;

}  // namespace finesync::test
