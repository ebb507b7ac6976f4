// Guarantees of weak memory without any order: a thread sees its own stores, each location has one
// history, and a message arrives whole.
#include "litmus.hpp"

#include <finesync/device/ptx/message_128.cuh>

#include <algorithm>

namespace simt_test::weak_coherence_test {
namespace {

constexpr std::uint32_t history = 20;
constexpr std::uint32_t polls = 60;

/// Neighbouring words of one sector have different owners, in both blocks. Every owner reads back
/// its own writes, by every kind of access.
__global__ void write_and_read_back(cell32* memory, cell32* wrong) {
  const unsigned owned = threadIdx.x * gridDim.x + blockIdx.x;
  cell32& mine = memory[owned];
  for (std::uint32_t value = 1; value <= history; ++value) {
    if (value % 3 == 0) {
      mine = value;
    } else {
      device_ref(mine).store(value, memory_order::relaxed);
    }
    const std::uint32_t neighbour = memory[owned ^ 1];
    const std::uint32_t plain = mine;
    const std::uint32_t at_device = device_ref(mine).load(memory_order::relaxed);
    const std::uint32_t at_block = block_ref(mine).load(memory_order::relaxed);
    if (plain != value || at_device != value || at_block != value || neighbour > history) {
      *wrong = 1;
    }
  }
}

bool own_store_is_missing() {
  return goes_wrong(write_and_read_back, {.blocks = 2, .threads_per_block = 4}, 128);
}

TEST(weak_coherence, a_thread_sees_its_own_stores) {
  expect_nothing_breaks(own_store_is_missing);
}

/// Halves are stored and the whole is read, and vice versa.
__global__ void mix_widths(cell32* halves, cell32* wrong) {
  auto* whole = reinterpret_cast<cell64*>(halves);
  for (std::uint32_t value = 1; value <= history; ++value) {
    halves[0] = value;
    halves[1] = value + 1;
    if (*whole != (std::uint64_t{value + 1} << 32 | value)) *wrong = 1;
    *whole = std::uint64_t{value} << 32 | (value + 1);
    if (halves[0] != value + 1 || halves[1] != value) *wrong = 1;
    halves[0] = value;  // a narrow store over a wide one that may still be in flight
    if (*whole != (std::uint64_t{value} << 32 | value)) *wrong = 1;
  }
}

bool mixed_widths_disagree() {
  return goes_wrong(mix_widths, {.blocks = 1, .threads_per_block = 1}, 2);
}

TEST(weak_coherence, a_thread_sees_its_own_stores_of_another_width) {
  expect_nothing_breaks(mixed_widths_disagree);
}

/// A wide store over a narrow one, and a narrow one over that: they complete in order.
__global__ void write_over(cell32* halves, cell32* unread) {
  halves[0] = 1;
  *reinterpret_cast<cell64*>(halves) = std::uint64_t{2} << 32 | 2;
  halves[1] = 3;
  for (unsigned i = 0; i < history; ++i) static_cast<void>(std::uint32_t{*unread});
}

bool an_older_store_wins() {
  return words_after(write_over, {.blocks = 1, .threads_per_block = 1}, {2, 1})[0] !=
         std::vector<std::uint32_t>{2, 3};
}

TEST(weak_coherence, stores_of_several_widths_keep_their_order) {
  expect_nothing_breaks(an_older_store_wins);
}

/// One thread counts up; another must never see a smaller value later.
template <bool PlainReads>
__global__ void count_and_watch(cell32* count, cell32* seen) {
  if (is_first()) {
    for (std::uint32_t value = 1; value <= history; ++value) {
      device_ref(*count).store(value, memory_order::relaxed);
    }
  } else if (is_second()) {
    for (unsigned poll = 0; poll < polls; ++poll) {
      const std::uint32_t now =
          PlainReads ? std::uint32_t{*count} : device_ref(*count).load(memory_order::relaxed);
      seen[poll] = now;
      if (poll % 8 == 0) fence<memory_order::acquire, scope::device>();
    }
  }
}

template <bool PlainReads>
bool count_goes_back(const launch_shape& shape) {
  const auto [count, polled] = words_after(count_and_watch<PlainReads>, shape, {1, polls});
  return !std::is_sorted(polled.begin(), polled.end()) || count[0] != history;
}

TEST(weak_coherence, a_location_never_goes_back_in_time) {
  expect_nothing_breaks([] { return count_goes_back<false>(two_blocks); });
  expect_nothing_breaks([] { return count_goes_back<false>(two_warps); });
  expect_nothing_breaks([] { return count_goes_back<true>(two_blocks); });
  expect_nothing_breaks([] { return count_goes_back<true>(two_warps); });
}

/// Read-modify-writes act on the current value, whatever is in buffers or caches, and the thread
/// sees their effect.
__global__ void add_after_store(cell32* sum, cell32* own, cell32* wrong) {
  cell32& mine = own[blockIdx.x * far];
  for (std::uint32_t round = 0; round < history; ++round) {
    const std::uint32_t cached = *sum;
    const std::uint32_t found = device_ref(*sum).fetch_add(1, memory_order::relaxed);
    if (found < cached || *sum <= found) *wrong = 1;
    mine = round;
    if (device_ref(mine).fetch_add(1, memory_order::relaxed) != round) *wrong = 1;
  }
}

bool addition_is_lost() {
  const auto [sum, own, wrong] = words_after(add_after_store, two_blocks, {1, 2 * far, 1});
  return sum[0] != 2 * history || own[0] != history || own[far] != history || wrong[0] != 0;
}

TEST(weak_coherence, read_modify_writes_lose_nothing) {
  expect_nothing_breaks(addition_is_lost);
}

template <bool Whole>
__global__ void send_and_receive(cell<message_128>* slot, cell64* halves, cell64* seen) {
  if (is_first()) {
    for (std::uint64_t value = 1; value <= history; ++value) {
      if constexpr (Whole) {
        store_message(*slot, {value, value});
      } else {
        halves[0] = value;
        halves[1] = value;
      }
    }
  } else if (is_second()) {
    for (unsigned poll = 0; poll < polls; ++poll) {
      const message_128 m = load_message(*slot);
      seen[2 * poll] = m.low;
      seen[2 * poll + 1] = m.high;
    }
  }
}

template <bool Whole>
bool message_tears() {
  auto slot = buffer<message_128>::zeroed(1);
  const buffer<std::uint64_t> seen(2 * polls);
  auto* halves = reinterpret_cast<cell64*>(slot.device_data());
  launch_cooperative(send_and_receive<Whole>, two_blocks, slot.device_data(), halves,
                     seen.device_data());
  const std::vector<std::uint64_t> found = seen.to_host();
  for (unsigned poll = 0; poll < polls; ++poll) {
    if (found[2 * poll] != found[2 * poll + 1]) return true;
  }
  return false;
}

TEST(weak_coherence, a_message_comes_whole) {
  expect_nothing_breaks(message_tears<true>);
}

TEST(weak_coherence, two_stores_of_half_a_message_tear) {
  EXPECT_GT(wrong_seeds(litmus_seeds, simt::memory_kind::weak, message_tears<false>), 0u);
}

/// A load of block scope is served by the L1, which is never refreshed; no sector stays forever.
__global__ void poll_at_block_scope(cell32* flag) {
  if (is_first()) {
    device_ref(*flag).store(1, memory_order::release);
  } else if (is_second()) {
    while (block_ref(*flag).load(memory_order::acquire) == 0) {
    }
  }
}

bool never_sees_the_flag() {
  return ending_of(poll_at_block_scope, two_blocks, {1}).stuck;
}

TEST(weak_coherence, polling_at_block_scope_sees_in_the_end_what_another_block_wrote) {
  expect_nothing_breaks(never_sees_the_flag);
}

}  // namespace
}  // namespace simt_test::weak_coherence_test
