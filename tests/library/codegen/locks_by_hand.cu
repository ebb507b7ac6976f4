// The inserts of locks_finesync.cu without finesync: CUDA's own functions where they suffice, and
// inline PTX for orders and scopes that they lack.
#include "insert.cuh"

namespace {

#if __CUDA_ARCH__ >= 900 && \
    (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 7))
#define ACQUIRE_FENCE_OF_SYSTEM "fence.acquire.sys;"
#define ACQUIRE_FENCE_OF_DEVICE "fence.acquire.gpu;"
#else
#define ACQUIRE_FENCE_OF_SYSTEM "fence.acq_rel.sys;"
#define ACQUIRE_FENCE_OF_DEVICE "fence.acq_rel.gpu;"
#endif
#define ACQUIRE_FENCE_OF_BLOCK "fence.acq_rel.cta;"

// The differences between the scopes: the suffix in CUDA and in PTX, and the fences.
#define REACH(name, suffix, ptx, full_fence, acquire_fence_ptx)                                 \
  struct name {                                                                                 \
    static __device__ std::uint32_t cas(std::uint32_t* p, std::uint32_t old, std::uint32_t v) { \
      return atomicCAS##suffix(p, old, v);                                                      \
    }                                                                                           \
    static __device__ std::uint32_t cas_acquire(std::uint32_t* p, std::uint32_t old,            \
                                                std::uint32_t v) {                              \
      std::uint32_t found;                                                                      \
      asm volatile("atom.cas.acquire." ptx ".b32 %0, [%1], %2, %3;"                             \
                   : "=r"(found)                                                                \
                   : "l"(p), "r"(old), "r"(v)                                                   \
                   : "memory");                                                                 \
      return found;                                                                             \
    }                                                                                           \
    static __device__ void exchange(std::uint32_t* p, std::uint32_t v) {                        \
      atomicExch##suffix(p, v);                                                                 \
    }                                                                                           \
    static __device__ std::uint32_t draw(std::uint32_t* p) { return atomicAdd##suffix(p, 1); }  \
    static __device__ std::uint32_t load(const std::uint32_t* p) {                              \
      std::uint32_t v;                                                                          \
      asm volatile("ld.relaxed." ptx ".u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");           \
      return v;                                                                                 \
    }                                                                                           \
    static __device__ void store_release(std::uint32_t* p, std::uint32_t v) {                   \
      asm volatile("st.release." ptx ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");             \
    }                                                                                           \
    static __device__ void fence() { full_fence(); }                                            \
    static __device__ void acquire_fence() { asm volatile(acquire_fence_ptx ::: "memory"); }    \
  };

namespace scope {
REACH(system, _system, "sys", __threadfence_system, ACQUIRE_FENCE_OF_SYSTEM)
REACH(device, , "gpu", __threadfence, ACQUIRE_FENCE_OF_DEVICE)
REACH(block, _block, "cta", __threadfence_block, ACQUIRE_FENCE_OF_BLOCK)
}  // namespace scope

// Ends a wait: never, or by the clock, read once in 1,024 polls.
struct no_watchdog {
  __device__ bool timed_out() { return false; }
};

struct alignas(64) watchdog_state {
  std::uint32_t since, until, block, thread, what, which;
  std::uint32_t alarm;  // a time, except bit 0: a wait timed out; bit 1: one began since
};

// What a late wait tells the host: a slot per block, after the state.
struct alignas(64) wait_post {
  std::uint32_t turn, ended, since, until, block, blocks, thread, what, which, holds;
  std::uint64_t seen, wanted;
};

struct watchdog {
  watchdog_state* state;
  std::uint32_t limit, half_limit, which, holds;
};

__device__ __forceinline__ void put(std::uint32_t& to, std::uint32_t value) {
  asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(&to), "r"(value) : "memory");
}
__device__ __forceinline__ void put(std::uint64_t& to, std::uint64_t value) {
  asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(&to), "l"(value) : "memory");
}
// Not before the loop: it would delay the first try.
__device__ __forceinline__ std::uint32_t here(std::uint32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

struct watched {
  watchdog timeout;
  std::uint32_t polls = 1024 - 64;
  std::uint32_t began = 0;

  __device__ bool timed_out() {
    if (++polls % 1024 != 0) return false;
    std::uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    const std::uint32_t now = static_cast<std::uint32_t>(ns >> 16) | 1;
    std::uint32_t alarm;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];"
                 : "=r"(alarm)
                 : "l"(&timeout.state->alarm)
                 : "memory");
    if ((alarm & 1) == 0) {
      if (began == 0) {
        began = now;
        if (alarm != 0) atomicCAS(&timeout.state->alarm, alarm, (now & ~3u) | 2);
        return false;
      }
      const std::uint32_t waited = now - began;
      if (waited <= timeout.limit) {
        if (alarm == 0 && waited > timeout.half_limit)
          atomicCAS(&timeout.state->alarm, alarm, now & ~3u);
        if (waited > here(timeout.limit) / 8) renew(now);
        return false;
      }
      fire(now);
    }
    if (began != 0 && atomicExch(&slot().ended, 1) == 0) post(now);
    return true;
  }

  __device__ wait_post& slot() const {
    std::uint32_t block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    return reinterpret_cast<wait_post*>(timeout.state + 1)[block % 8192];
  }

  __device__ void renew(std::uint32_t now) const {
    std::uint32_t last;
    std::uint32_t* const turn = &slot().turn;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(last) : "l"(turn) : "memory");
    if (last != 0 && now - last < here(timeout.limit) / 32) return;
    if (atomicExch(turn, now) == last) post(now);
  }

  __device__ void post(std::uint32_t now) const {
    wait_post& to = slot();
    std::uint32_t block;
    std::uint32_t blocks;
    put(to.since, began);
    put(to.until, now);
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    put(to.block, block);
    asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
    put(to.blocks, blocks);
    put(to.thread, threadIdx.x);
    put(to.what, 1);
    put(to.which, timeout.which);
    put(to.holds, timeout.holds);
    put(to.seen, 0);
    put(to.wanted, 0);
  }

  __device__ void fire(std::uint32_t now) const {
    if ((atomicOr(&timeout.state->alarm, 1) & 1) != 0) return;
    timeout.state->since = began;
    timeout.state->until = now;
    timeout.state->block = blockIdx.x;
    timeout.state->thread = threadIdx.x;
    timeout.state->what = 1;
    timeout.state->which = timeout.which;
  }
};

__device__ void sleep_by_place(std::uint32_t distance) {
  if (distance > 1) __nanosleep(distance - 1 > 40 ? 4096 : (distance - 1) * 100);
}

template <class Reach>
struct spin {
  struct state {
    std::uint32_t held;
  };

  template <class Wait>
  static __device__ void insert(const table& t, std::uint32_t e, std::uint32_t node, state& lock,
                                Wait wait) {
    while (Reach::cas(&lock.held, 0, 1) != 0) {
      if (wait.timed_out()) return;
    }
    Reach::fence();
    t.push(e, node);
    Reach::fence();
    Reach::exchange(&lock.held, 0);
  }
};

template <class Reach>
struct tas {
  using state = typename spin<Reach>::state;

  template <class Wait>
  static __device__ void insert(const table& t, std::uint32_t e, std::uint32_t node, state& lock,
                                Wait wait) {
    while (Reach::cas_acquire(&lock.held, 0, 1) != 0) {
      if (wait.timed_out()) return;
    }
    t.push(e, node);
    Reach::store_release(&lock.held, 0);
  }
};

template <class Reach>
struct backoff {
  using state = typename spin<Reach>::state;

  template <class Wait>
  static __device__ void insert(const table& t, std::uint32_t e, std::uint32_t node, state& lock,
                                Wait wait) {
    unsigned ns = 32;
    while (Reach::cas_acquire(&lock.held, 0, 1) != 0) {
      do {
        if (wait.timed_out()) return;
        __nanosleep(ns);
        ns = ns > 1024 ? 2048 : 2 * ns;
      } while (Reach::load(&lock.held) != 0);
    }
    t.push(e, node);
    Reach::store_release(&lock.held, 0);
  }
};

template <class Reach>
struct ticket {
  struct state {
    std::uint32_t next;
    std::uint32_t serving;
  };

  template <class Wait>
  static __device__ void insert(const table& t, std::uint32_t e, std::uint32_t node, state& lock,
                                Wait wait) {
    const std::uint32_t mine = Reach::draw(&lock.next);
    while (const std::uint32_t ahead = mine - Reach::load(&lock.serving)) {
      if (wait.timed_out()) return;
      sleep_by_place(ahead);
    }
    Reach::acquire_fence();
    t.push(e, node);
    Reach::store_release(&lock.serving, mine + 1);
  }
};

template <class Reach>
struct anderson {
  static constexpr std::uint32_t slots = 16;
  struct alignas(128) line {
    std::uint32_t word;
  };
  struct state {
    line next;
    line granted[slots];
  };

  template <class Wait>
  static __device__ void insert(const table& t, std::uint32_t e, std::uint32_t node, state& lock,
                                Wait wait) {
    const std::uint32_t mine = Reach::draw(&lock.next.word);
    const std::uint32_t* turn = &lock.granted[mine % slots].word;
    while (const std::uint32_t ahead = mine - Reach::load(turn)) {
      if (wait.timed_out()) return;
      sleep_by_place(ahead < slots ? 1 : ahead - slots + 1);
    }
    Reach::acquire_fence();
    t.push(e, node);
    Reach::store_release(&lock.granted[(mine + 1) % slots].word, mine + 1);
  }
};

template <class Lock, class Wait>
__device__ void insert(const table& t, typename Lock::state* locks, Wait wait) {
  const std::uint32_t node = thread_number();
  const std::uint32_t e = t.entry[node];
  Lock::insert(t, e, node, locks[e], wait);
}

}  // namespace

#define KERNEL(lock, reach)                                                              \
  extern "C" __global__ void lock##_##reach(table t, lock<scope::reach>::state* locks) { \
    insert<lock<scope::reach>>(t, locks, no_watchdog());                                 \
  }
#define WATCHED_KERNEL(lock)                                                            \
  extern "C" __global__ void lock##_watched(table t, lock<scope::device>::state* locks, \
                                            watchdog timeout) {                         \
    insert<lock<scope::device>>(t, locks, watched{timeout});                            \
  }
#include "locks.inc"
