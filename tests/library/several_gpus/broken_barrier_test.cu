// The check of the barrier of several GPUs must reject each of these broken ones.
#include "gpus_exchange.hpp"
#include "weaker_fences.cuh"

namespace finesync::test::broken_gpus_barrier_test {
namespace {

constexpr unsigned seeds = 150;

/// What a GPU's blocks wrote is not released to its root.
struct arrives_without_release : gpus_fences {
  __device__ static void release() {}
};
/// The root does not acquire what its GPU's blocks have released.
struct gathers_without_acquire : gpus_fences {
  __device__ static void acquire() {}
};

/// The number of schedules with a wrong word, or that do not end.
template <class Barrier>
unsigned failing(simt::memory_kind memory, const gpus_exchange_config& plan = {}) {
  return failing_twin_seeds(memory, seeds,
                            [&] { return run_exchange_on_gpus<Barrier>(plan).right(); });
}

template <class Barrier>
unsigned racing(const gpus_exchange_config& plan = {}) {
  return racing_seeds(5, [&] { return run_exchange_on_gpus<Barrier>(plan).right(); });
}

template <class Fences>
class with_weaker_order : public ::testing::Test {};
using weaker_orders =
    ::testing::Types<arrives_without_release, crosses_without_release, crosses_at_device_scope,
                     leaves_without_acquire, leaves_at_device_scope, crosses_in_words_of_a_gpu>;
TYPED_TEST_SUITE(with_weaker_order, weaker_orders);

TYPED_TEST(with_weaker_order, is_rejected_in_weak_memory) {
  EXPECT_GT(failing<basic_gpus_barrier<TypeParam>>(weak), 0u);
}

TYPED_TEST(with_weaker_order, races) {
  EXPECT_GT(racing<basic_gpus_barrier<TypeParam>>(), 0u);
}

// Weak memory does not show it: there a release orders all that its GPU has released.
TEST(without_acquire, the_root_races) {
  EXPECT_GT(racing<basic_gpus_barrier<gathers_without_acquire>>(), 0u);
}

TEST(device_scope, is_enough_between_two_grids_of_one_gpu) {
  const gpus_exchange_config one_gpu{.devices = {0, 0}};
  EXPECT_EQ(failing<basic_gpus_barrier<crosses_at_device_scope>>(weak, one_gpu), 0u);
}

using right_ref = gpus_barrier::ref_type;
using right_participant = right_ref::participant;

/// The barrier with another participant, made from the right one.
template <class Participant>
class flawed_barrier : public gpus_barrier {
 public:
  using gpus_barrier::gpus_barrier;

  struct ref_type : right_ref {
    explicit ref_type(const right_ref& right) : right_ref(right) {}
    __device__ Participant join(const watchdog_ref& watchdog) const {
      return Participant(right_ref::join(watchdog));
    }
  };
  ref_type ref(unsigned me) const { return ref_type(gpus_barrier::ref(me)); }
};

/// The root releases before the blocks of its GPU have arrived.
struct releases_before_it_gathers : right_participant {
  explicit releases_before_it_gathers(const right_participant& right) : right_participant(right) {}
  __device__ bool wait() {
    __syncthreads();
    bool passed = true;
    if (threadIdx.x < 32 && this->is_root_) {
      this->release_all();
      passed = this->gather() && this->poll();
    } else if (threadIdx.x < 32) {
      passed = this->meet();
    }
    return __syncthreads_or(!passed) == 0;
  }
};
/// A root forgets a word of the first GPU.
struct forgets_a_gpu : right_participant {
  explicit forgets_a_gpu(const right_participant& right) : right_participant(right) {
    if (this->is_root_ && threadIdx.x == 0) this->added_ = nullptr;
  }
};
/// Blocks take the last barrier of the launch before for the first of this one.
struct takes_the_generation_before : right_participant {
  explicit takes_the_generation_before(const right_participant& right) : right_participant(right) {
    this->target_ -= this->epoch_;
  }
};
/// The root takes the arrivals of the barrier before for those of this one.
struct gathers_the_generation_before : right_participant {
  explicit gathers_the_generation_before(const right_participant& right)
      : right_participant(right) {}
  __device__ bool wait() {
    __syncthreads();
    bool passed = true;
    if (threadIdx.x < 32 && this->is_root_) {
      this->gathered_target_ -= this->epoch_;
      passed = this->gather();
      this->gathered_target_ += this->epoch_;
      this->release_all();
      passed = passed && this->poll();
    } else if (threadIdx.x < 32) {
      passed = this->meet();
    }
    return __syncthreads_or(!passed) == 0;
  }
};
/// Blocks go on when all GPUs but one have come.
struct misses_a_gpu : right_participant {
  explicit misses_a_gpu(const right_participant& right) : right_participant(right) {
    --this->target_;
  }
};

template <class Participant>
class flawed_participant : public ::testing::Test {};
using flawed_participants =
    ::testing::Types<releases_before_it_gathers, forgets_a_gpu, takes_the_generation_before,
                     gathers_the_generation_before, misses_a_gpu>;
TYPED_TEST_SUITE(flawed_participant, flawed_participants);

TYPED_TEST(flawed_participant, is_rejected) {
  EXPECT_GT(failing<flawed_barrier<TypeParam>>(strong), 0u);
  EXPECT_GT(failing<flawed_barrier<TypeParam>>(strong, {.devices = {0, 0}}), 0u);
}

struct right : right_participant {
  explicit right(const right_participant& as_is) : right_participant(as_is) {}
};

TEST(flawed_participant, without_a_flaw_passes) {
  EXPECT_EQ(failing<flawed_barrier<right>>(strong), 0u);
  EXPECT_EQ(failing<flawed_barrier<right>>(weak), 0u);
}

}  // namespace
}  // namespace finesync::test::broken_gpus_barrier_test
