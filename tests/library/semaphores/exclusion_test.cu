// Never more threads inside than permits, no torn read, no lost write, and every thread is served:
// over two thousand schedules of each semaphore and size. Sizes and numbers of permits: the invalid
// ones are rejected, and the extreme ones and those between one and all are right.
#include "load_kernels.cuh"

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::exclusion_test {
namespace {

template <class Semaphore>
class semaphores : public ::testing::Test {
 protected:
  static unsigned failing(const semaphore_load& load, simt::memory_kind memory, unsigned seeds) {
    return failing_seeds(memory, seeds, [&] { return serves_all<Semaphore>(load); });
  }

  static void serve(unsigned size) {
    const unsigned seeds = seed_budget(120);  // of each memory mode
    EXPECT_EQ(failing({.size = size}, strong, seeds), 0u);
    EXPECT_EQ(failing({.size = size}, weak, seeds / 2), 0u);
    const semaphore_load bare{.size = size, .counted = false};
    EXPECT_EQ(failing(bare, weak, seeds / 2), 0u);
  }
};
TYPED_TEST_SUITE(semaphores, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(semaphores, of_size_1_are_locks) {
  this->serve(1);
}

// A writer holds no more than two readers.
TYPED_TEST(semaphores, of_size_2_take_turns_with_writers) {
  this->serve(2);
}

// Not a power of two, and fewer permits than readers.
TYPED_TEST(semaphores, of_size_3_hold_readers_back) {
  this->serve(3);
}

TYPED_TEST(semaphores, are_right_when_threads_poll_in_a_row) {
  const semaphore_load load{.size = 3, .counted = false, .single_lane = true};
  for (const simt::memory_kind memory : {strong, weak})
    EXPECT_EQ(this->failing(load, memory, seed_budget(40)), 0u);
}

// A writer waits for many readers, and two lines are freed by one exit.
TYPED_TEST(semaphores, of_size_10_let_most_readers_in) {
  this->serve(10);
}

TYPED_TEST(semaphores, serve_a_full_small_gpu) {
  const semaphore_load full{
      .blocks = 32, .threads_per_block = daily_or_whole(6u, 16u), .size = 7, .rounds = 1};
  EXPECT_TRUE(serves_all<TypeParam>(full));
}

TYPED_TEST(semaphores, are_used_again_without_a_reset) {
  const semaphore_load load{.size = 3};
  TypeParam semaphore(load.size);
  EXPECT_TRUE(serves_all(semaphore, load));
  EXPECT_TRUE(serves_all(semaphore, load));
}

template <class Semaphore>
std::string refusal_of_size(unsigned size) {
  return refusal_of<std::invalid_argument>([&] { const Semaphore semaphore(size); });
}

template <class Ref>
__global__ void ask_for(Ref semaphore, unsigned permits) {
  auto acquisition = semaphore.enqueue(permits);
  while (!semaphore.try_enter(acquisition)) semaphore.wait(acquisition);
  while (!semaphore.leave(acquisition)) semaphore.wait(acquisition);
}

template <class Semaphore>
std::string refusal_of_permits(unsigned size, unsigned permits) {
  const Semaphore semaphore(size);
  return refusal_of<std::logic_error>([&] {
    launch_cooperative(ask_for<decltype(semaphore.ref())>, {.threads_per_block = 1},
                       semaphore.ref(), permits);
  });
}

template <class Semaphore>
class permits : public ::testing::Test {};
TYPED_TEST_SUITE(permits, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(permits, are_1_to_2_31_in_all) {
  constexpr unsigned most = 1u << 31;
  EXPECT_EQ(refusal_of_size<TypeParam>(0), "a semaphore of size 0: 1 to 2147483648 are possible");
  EXPECT_EQ(refusal_of_size<TypeParam>(most + 1),
            "a semaphore of size 2147483649: 1 to 2147483648 are possible");
  EXPECT_EQ(refusal_of_size<TypeParam>(1), "");
  EXPECT_EQ(refusal_of_size<TypeParam>(most), "");
}

TYPED_TEST(permits, are_taken_1_to_the_size_at_a_time) {
  const std::string rule = "a semaphore gives out 1 to its size of permits";
  for (const unsigned size : {1u, 3u, 1u << 31}) {
    EXPECT_EQ(refusal_of_permits<TypeParam>(size, 0), rule) << size;
    EXPECT_EQ(refusal_of_permits<TypeParam>(size, size + 1), rule) << size;
    EXPECT_EQ(refusal_of_permits<TypeParam>(size, 1), "") << size;
    EXPECT_EQ(refusal_of_permits<TypeParam>(size, size), "") << size;
  }
}

// Two times 2^31 are 0 in 32 bits.
TYPED_TEST(permits, of_the_largest_size_are_not_had_twice) {
  const semaphore_load writers{
      .blocks = 3, .threads_per_block = 1, .size = 1u << 31, .rounds = 4, .counted = false};
  EXPECT_EQ(failing_seeds(strong, 100, [&] { return serves_all<TypeParam>(writers); }), 0u);
}

using small_ticket_ref = ticket_semaphore_ref<no_backoff, 4>;

__global__ void age(small_ticket_ref::state* semaphore, std::uint64_t permits) {
  semaphore->next = permits;
  semaphore->given_back = permits;
  for (auto& line : semaphore->lines) line.returned = permits;
}

/// A ticket semaphore that has given out `by` permits before. All of them are back.
class aged_semaphore {
 public:
  aged_semaphore(unsigned size, std::uint64_t by) : size_(size), state_(1) {
    launch_independent(age, {1, 1}, state_.device_data(), by);
  }
  small_ticket_ref ref() const { return {state_.device_data(), size_}; }

 private:
  unsigned size_;
  zeroed_states<small_ticket_ref::state> state_;
};

TEST(ticket_semaphores, go_on_after_2_32_permits) {
  for (const unsigned size : {1u, 3u}) {
    for (const unsigned before : {0u, 7u, 40u}) {
      const auto right = [&] {
        aged_semaphore aged(size, (std::uint64_t{1} << 32) - before);
        return serves_all(aged, {.size = size});
      };
      EXPECT_EQ(failing_seeds(strong, 40, right), 0u) << size << ", " << before;
    }
  }
}

// Numbers of permits between one and all, which readers and writers do not use.
constexpr unsigned blocks = 3;
constexpr unsigned threads = 5;  // of a block
constexpr unsigned rounds = 3;

__host__ __device__ unsigned permits_of(unsigned thread, unsigned round, unsigned size) {
  return 1 + (thread * 7 + round * 3) % size;
}

/// Words of the test, each on its own cache line.
enum mixed_word { inside_now, too_many, have_finished, by_one_alone, mixed_words };

/// Only one thread can have more than half of the permits, so it increments a plain counter.
template <class Semaphore>
__global__ void come_and_go(Semaphore semaphore, unsigned size, cell<std::uint32_t>* words,
                            watchdog_ref watchdog) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  const auto word = [&](mixed_word which) {
    return atomic_ref<std::uint32_t, scope::device>(words[which * line]);
  };
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned permits = permits_of(me, i, size);
    const auto section = [&] {
      const std::uint32_t before = word(inside_now).fetch_add(permits, memory_order::relaxed);
      if (before + permits > size) word(too_many).fetch_add(1, memory_order::relaxed);
      if (2 * permits > size) words[by_one_alone * line] = words[by_one_alone * line] + 1;
      word(inside_now).fetch_add(0 - permits, memory_order::relaxed);
    };
    if (!run_with_permits(semaphore, permits, section, watchdog)) return;
  }
  word(have_finished).fetch_add(1, memory_order::relaxed);
}

template <class Semaphore>
bool all_come_and_go(unsigned size) {
  const Semaphore semaphore(size);
  const auto words = zeroed(mixed_words * line);
  const watchdog patient(1'000'000'000);  // nominal ns: a spin semaphore may take long
  if (!ends_right([&] {
        return ends(patient, come_and_go<decltype(semaphore.ref())>, {blocks, threads}, semaphore,
                    size, words);
      }))
    return false;
  std::uint32_t alone = 0;
  for (unsigned thread = 0; thread < blocks * threads; ++thread)
    for (unsigned i = 0; i < rounds; ++i) alone += 2 * permits_of(thread, i, size) > size;
  const auto found = words.to_host();
  return found[have_finished * line] == blocks * threads && found[too_many * line] == 0 &&
         found[by_one_alone * line] == alone;
}

/// Sizes 2 to 10, including powers of two.
template <class Semaphore>
unsigned failing_mixed(simt::memory_kind memory, unsigned seeds, races verdict = races::fail) {
  const auto right = [] {
    return all_come_and_go<Semaphore>(2 + static_cast<unsigned>(simt::current_settings().seed % 9));
  };
  return failing_seeds(memory, seeds, right, verdict);
}

template <class Semaphore>
class mixed_permits : public ::testing::Test {};
TYPED_TEST_SUITE(mixed_permits, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(mixed_permits, are_never_more_than_there_are_and_all_come_back) {
  EXPECT_EQ(failing_mixed<TypeParam>(strong, seed_budget(300)), 0u);
  EXPECT_EQ(failing_mixed<TypeParam>(weak, seed_budget(300)), 0u);
}

/// Admits a thread that asks for fewer permits than the size, whatever the others hold.
struct counts_wholes : cas_semaphore<no_backoff> {
  using right = cas_semaphore_ref<no_backoff>;
  struct ref_type : right {
    using right::right;
    unsigned size;
    ref_type(const right& other, unsigned all) : right(other), size(all) {}
    acquisition enqueue(unsigned permits) const {
      return right::enqueue(permits == size ? permits : 1);
    }
  };
  explicit counts_wholes(unsigned all) : cas_semaphore<no_backoff>(all), size(all) {}
  ref_type ref() const { return {cas_semaphore<no_backoff>::ref(), size}; }
  unsigned size;
};

TEST(broken_semaphores, one_that_takes_some_permits_for_one_is_rejected) {
  EXPECT_GT(failing_mixed<counts_wholes>(strong, 100, races::pass), 0u);
}

}  // namespace
}  // namespace finesync::test::exclusion_test
