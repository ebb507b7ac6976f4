// HeteroSync's spin semaphore as it is shipped: blocks read the maximum from the live count when
// they start. One that starts while others are inside gets a smaller one. Its writer then enters
// beside others, or waits for a count that never comes, while its flag keeps all readers out.
#include "load_kernels.cuh"

#include <finesync/device/backoff.cuh>
#include <workloads/printed/semaphores/priority_semaphore.cuh>
#include <workloads/printed/semaphores/spin_semaphore.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::live_maximum_test {
namespace {

template <class Semaphore>
class with_live_maximum : public Semaphore {
  using right = decltype(std::declval<const Semaphore&>().ref());

 public:
  /// Each thread has its own, whose maximum is what the thread finds when it begins.
  class ref_type {
   public:
    using acquisition = typename right::acquisition;

    ref_type(typename right::state* s, unsigned size) : state_(s), size_(size) {}

    acquisition enqueue(unsigned permits) const {
      const bool writes = permits == size_;
      if (!found_) {
        live_ = state_->count;
        found_.emplace(state_, writes ? live_ - 1 : size_);
      }
      acquisition begun;
      begun.taken = writes ? live_ : permits;
      return begun;
    }
    bool try_enter(acquisition& r) const { return found_->try_enter(r); }
    bool leave(acquisition& r) const { return found_->leave(r); }
    void wait(acquisition& r) const { found_->wait(r); }

   private:
    typename right::state* state_;
    unsigned size_;
    mutable std::optional<right> found_;
    mutable std::uint32_t live_ = 0;
  };

  explicit with_live_maximum(unsigned size) : Semaphore(size), size_(size) {}
  ref_type ref() const { return {this->device_state(), size_}; }

 private:
  unsigned size_;
};

struct failures {
  unsigned hung = 0;
  unsigned broken = 0;
};

/// Of 60 random schedules.
template <class Semaphore>
failures of(unsigned size) {
  const semaphore_load load{
      .blocks = 6, .threads_per_block = 2, .size = size, .rounds = 2, .watchdog_ns = 20'000'000};
  failures found;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    Semaphore semaphore(size);
    try {
      const load_outcome seen = run_load(semaphore, load);
      found.hung += !seen.all_left;
      found.broken += !seen.excluding;
    } catch (const hang_error&) {
      ++found.hung;
    }
  }
  return found;
}

template <class Semaphore>
void is_at_fault() {
  for (const unsigned size : {1u, 3u}) {
    const failures live = of<with_live_maximum<Semaphore>>(size);
    EXPECT_GT(live.hung, 0u) << size;
    EXPECT_GT(live.broken, 0u) << size;
    const failures mended = of<Semaphore>(size);
    EXPECT_EQ(mended.hung, 0u) << size;
    EXPECT_EQ(mended.broken, 0u) << size;
  }
}

TEST(live_maximum, hangs_the_spin_semaphore_and_breaks_its_exclusion) {
  is_at_fault<spin_printed_semaphore<no_backoff>>();
}

TEST(live_maximum, hangs_the_priority_semaphore_and_breaks_its_exclusion) {
  is_at_fault<priority_printed_semaphore<no_backoff>>();
}

}  // namespace
}  // namespace finesync::test::live_maximum_test
