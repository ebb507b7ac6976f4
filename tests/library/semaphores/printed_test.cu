// The printed semaphores step by step: what each step costs, whom it holds back, and who sleeps.
#include <finesync/device/backoff.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/semaphores/priority_semaphore.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <finesync/semaphores/spin_semaphore.cuh>
#include <workloads/printed/semaphores/priority_semaphore.cuh>
#include <workloads/printed/semaphores/spin_semaphore.cuh>
#include <workloads/semaphore/counted_tries.cuh>

#include <tests/library/harness/harness.hpp>
#include <tests/library/semaphores/counted.hpp>

namespace finesync::test::printed_test {
namespace {

using spin = spin_printed_semaphore<no_backoff>;
using spin_ebo = spin_printed_semaphore<steps_by_role>;
using priority = priority_printed_semaphore<no_backoff>;
using priority_ebo = priority_printed_semaphore<steps_by_role>;

template <class Semaphore>
using ref_of = decltype(std::declval<const Semaphore&>().ref());
template <class Semaphore>
using state_of = typename ref_of<Semaphore>::state;

/// Operations of the last launch.
struct operations {
  std::uint64_t compare_exchanges = counted(simt::op_kind::compare_exchange, simt::space::global);
  std::uint64_t exchanges = counted(simt::op_kind::exchange, simt::space::global);
  std::uint64_t ors = counted(simt::op_kind::fetch_or, simt::space::global);
  std::uint64_t ands = counted(simt::op_kind::fetch_and, simt::space::global);
  std::uint64_t additions = counted(simt::op_kind::fetch_add, simt::space::global);
  std::uint64_t fences = counted(simt::op_kind::fence, simt::space::none);
  std::uint64_t sleeps = counted(simt::op_kind::sleep, simt::space::none);
  std::uint64_t block_barriers = counted(simt::op_kind::block_barrier, simt::space::none);
};

template <class Ref>
__global__ void enter_and_leave(Ref semaphore, unsigned permits, unsigned sections,
                                watchdog_ref watchdog) {
  for (unsigned i = 0; i < sections; ++i)
    run_block_with_permits(
        semaphore, permits, [] {}, watchdog);
}

constexpr unsigned sections = 5;
constexpr unsigned threads = 40;

/// Of one block.
template <class Semaphore>
operations uncontended(unsigned permits) {
  const Semaphore semaphore(3);
  const watchdog timeout;
  launch_cooperative(enter_and_leave<ref_of<Semaphore>>, {1, threads}, semaphore.ref(), permits,
                     sections, timeout.ref());
  return {};
}

TEST(spin_printed, takes_its_lock_twice_per_section) {
  for (const unsigned permits : {1u, 3u}) {
    const operations of = uncontended<spin>(permits);
    EXPECT_EQ(of.compare_exchanges, 2 * sections);
    EXPECT_EQ(of.exchanges, 2 * sections);
    EXPECT_EQ(of.fences, 4 * sections);
    EXPECT_EQ(of.block_barriers, (5 + 4) * sections * threads);
  }
}

TEST(priority_printed, looks_once_and_raises_nothing_uncontended) {
  for (const unsigned permits : {1u, 3u}) {
    const operations of = uncontended<priority>(permits);
    EXPECT_EQ(of.compare_exchanges, (2 + 1) * sections);
    EXPECT_EQ(of.exchanges, 2 * sections);
    EXPECT_EQ(of.fences, 4 * sections);
    EXPECT_EQ(of.ors, 0u);
    EXPECT_EQ(of.ands, sections);
    EXPECT_EQ(of.sleeps, 0u);
    EXPECT_EQ(of.block_barriers, (5 + 4) * sections * threads);
  }
}

/// Counts, by additions, the exits that fail.
template <class Ref>
struct counted_exits : Ref {
  cell<std::uint32_t>* lost;
  __device__ bool leave(typename Ref::acquisition& r) const {
    const bool left = Ref::leave(r);
    if (!left) atomic_ref<std::uint32_t, scope::device>(*lost).fetch_add(1, memory_order::relaxed);
    return left;
  }
};

template <class Ref>
__global__ void crowd(Ref semaphore, watchdog_ref watchdog) {
  run_with_permits(
      semaphore, threadIdx.x == 0 ? 3 : 1, [] {}, watchdog);
}

TEST(priority_printed, is_raised_by_each_lost_exit_and_lowered_by_each_exit) {
  constexpr unsigned entries = 4 * 8;
  std::uint64_t lost = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    const priority semaphore(3);
    const auto tries = zeroed(1);
    const watchdog timeout;
    using ref = counted_exits<ref_of<priority>>;
    launch_cooperative(crowd<ref>, {4, 8}, ref{semaphore.ref(), tries.device_data()},
                       timeout.ref());
    const operations of;
    EXPECT_EQ(of.ors, of.additions);
    EXPECT_EQ(of.ands, entries);
    EXPECT_GE(of.compare_exchanges, 3 * entries);
    lost += of.ors;
  }
  EXPECT_GT(lost, 0u);
}

TEST(priority_printed, looks_before_each_try_for_the_lock_and_when_it_is_held_back) {
  std::uint64_t held_back = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    const priority semaphore(3);
    const auto counts = buffer<std::uint64_t>::zeroed(4);
    const watchdog timeout;
    using ref = semaphore::counted_tries<ref_of<priority>>;
    launch_cooperative(crowd<ref>, {4, 1}, ref{semaphore.ref(), counts.device_data()},
                       timeout.ref());
    const operations of;
    const auto tries = counts.to_host();
    EXPECT_EQ(of.compare_exchanges, 2 * tries[0] + tries[1] + of.ors + of.ands);
    EXPECT_EQ(of.sleeps, tries[1]);
    EXPECT_GE(tries[0], 4u);
    held_back += tries[1];
  }
  EXPECT_GT(held_back, 0u);
}

/// One thread plays three roles: a reader that leaves, another that enters, and the lock's holder.
template <class Semaphore>
__global__ void try_in_vain(state_of<Semaphore>* s, bool exit_fails) {
  const ref_of<Semaphore> semaphore(s, 3);
  s->count = 4;
  auto leaver = semaphore.enqueue(1);
  auto other = semaphore.enqueue(1);
  semaphore.try_enter(leaver);
  s->lock = 1;
  if (exit_fails && !semaphore.leave(leaver)) semaphore.wait(leaver);
  for (unsigned i = 0; i < 3; ++i)
    if (!semaphore.try_enter(other)) semaphore.wait(other);
}

template <class Semaphore>
operations of_tries_in_vain(bool exit_fails) {
  const zeroed_states<state_of<Semaphore>> state;
  launch_cooperative(try_in_vain<Semaphore>, {1, 1}, state.device_data(), exit_fails);
  return {};
}

TEST(priority_printed, backs_off_while_held_back_and_not_after_a_lost_try) {
  const operations held_back = of_tries_in_vain<priority>(true);
  EXPECT_EQ(held_back.ors, 1u);
  EXPECT_EQ(held_back.sleeps, 3u);
  EXPECT_EQ(held_back.compare_exchanges, 2 + 1 + 3u);  // none on the lock while held back
  const operations lost = of_tries_in_vain<priority>(false);
  EXPECT_EQ(lost.sleeps, 0u);
  EXPECT_EQ(lost.compare_exchanges, 2 + 2 * 3u);
}

TEST(priority_printed, with_back_off_sleeps_after_a_lost_try_too) {
  EXPECT_EQ(of_tries_in_vain<priority_ebo>(true).sleeps, 3u);
  EXPECT_EQ(of_tries_in_vain<priority_ebo>(false).sleeps, 3u);
}

TEST(spin_printed, holds_nobody_back) {
  const operations of = of_tries_in_vain<spin>(true);
  EXPECT_EQ(of.compare_exchanges, 1 + 1 + 3u);
  EXPECT_EQ(of.ors + of.ands + of.sleeps, 0u);
  EXPECT_EQ(of_tries_in_vain<spin_ebo>(true).sleeps, 3u);
}

TEST(printed_backoff, doubles_for_writers_and_adds_for_readers) {
  std::vector<unsigned> writer{1};
  std::vector<unsigned> reader{1};
  for (unsigned i = 0; i < 11; ++i) {
    writer.push_back(steps_by_role::after(writer.back(), true));
    reader.push_back(steps_by_role::after(reader.back(), false));
  }
  EXPECT_EQ(writer, (std::vector<unsigned>{1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 1023, 1023}));
  EXPECT_EQ(reader, (std::vector<unsigned>{1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51, 56}));
}

/// The ref of a reader.
template <class Semaphore>
__device__ Semaphore in_role_of_reader(const Semaphore& semaphore) {
  if constexpr (requires { semaphore.for_reader(); }) {
    return semaphore.for_reader();
  } else {
    return semaphore;
  }
}

/// Two readers and a writer, by one thread: which of their tries let them in.
template <class Semaphore>
__global__ void wait_as_writer(Semaphore semaphore, unsigned size, cell<std::uint32_t>* entered) {
  const Semaphore as_reader = in_role_of_reader(semaphore);
  auto inside = as_reader.enqueue(1);
  auto late = as_reader.enqueue(1);
  auto writer = semaphore.enqueue(size);
  entered[0] = as_reader.try_enter(inside);
  entered[1] = semaphore.try_enter(writer);
  entered[2] = as_reader.try_enter(late);  // although a second reader has room, if the size is 2
  as_reader.leave(inside);
  entered[3] = as_reader.try_enter(late);  // although nobody is inside
  entered[4] = semaphore.try_enter(writer);
  semaphore.leave(writer);
  entered[5] = as_reader.try_enter(late);
}

template <class Semaphore>
std::vector<std::uint32_t> entries(unsigned size) {
  const Semaphore semaphore(size);
  const buffer<std::uint32_t> entered(6);
  launch_cooperative(wait_as_writer<ref_of<Semaphore>>, {1, 1}, semaphore.ref(), size,
                     entered.device_data());
  return entered.to_host();
}

using tried = std::vector<std::uint32_t>;

TEST(printed_semaphores, let_no_reader_in_while_a_writer_waits) {
  for (const unsigned size : {1u, 2u}) {
    EXPECT_EQ(entries<spin>(size), (tried{1, 0, 0, 0, 1, 1})) << size;
    EXPECT_EQ(entries<priority>(size), (tried{1, 0, 0, 0, 1, 1})) << size;
  }
}

TEST(spin_semaphores, let_readers_pass_a_writer_that_waits) {
  EXPECT_EQ(entries<spin_semaphore<no_backoff>>(2)[2], 1u);
}

// The purpose of the priority semaphore: while a failed exit is pending, no thread tries to enter.

/// One thread plays three roles: it holds a permit, tries to enter, and holds the mutex.
/// `entered` records for each of its tries whether it entered.
template <class EntryPolicy>
__global__ void leave_in_vain(typename mutex_semaphore_ref<EntryPolicy, no_backoff>::state* s,
                              cell<std::uint32_t>* entered) {
  const mutex_semaphore_ref<EntryPolicy, no_backoff> semaphore(s, 2);
  auto holder = semaphore.enqueue(1);
  auto other = semaphore.enqueue(1);
  entered[0] = semaphore.try_enter(holder);
  s->lock = 1;  // another thread holds the mutex
  entered[1] = semaphore.leave(holder);
  s->lock = 0;
  entered[2] = semaphore.try_enter(other);  // although there is room
  entered[3] = semaphore.leave(holder);
  entered[4] = semaphore.try_enter(other);
}

template <class EntryPolicy>
std::vector<std::uint32_t> tries() {
  using state = typename mutex_semaphore_ref<EntryPolicy, no_backoff>::state;
  auto memory = buffer<unsigned char>::zeroed(sizeof(state));
  const buffer<std::uint32_t> entered(5);
  launch_cooperative(leave_in_vain<EntryPolicy>, {1, 1},
                     reinterpret_cast<state*>(memory.raw_pointer()), entered.device_data());
  return entered.to_host();
}

TEST(priority_semaphores, let_nobody_try_while_an_exit_is_pending) {
  EXPECT_EQ(tries<exits_first>(), (std::vector<std::uint32_t>{1, 0, 0, 1, 1}));
}

TEST(spin_semaphores, let_everybody_try_at_any_time) {
  EXPECT_EQ(tries<no_priority>(), (std::vector<std::uint32_t>{1, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace finesync::test::printed_test
