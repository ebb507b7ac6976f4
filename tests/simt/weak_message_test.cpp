// Message passing in weak memory: one thread writes data and raises a flag, another sees the flag
// and reads the data. Too weak an order or scope, on either side, must show.
#include "litmus.hpp"

#include <algorithm>
#include <vector>

namespace simt_test::weak_message_test {
namespace {

constexpr unsigned words = 4;  // of data; each of them, and the flag, on its own line

/// How a side of the handoff orders its accesses.
enum class by { nothing, access, fence };

/// Fences are next to relaxed accesses of device scope.
template <by How, scope Scope>
__device__ void raise(cell32& flag) {
  if constexpr (How == by::access) {
    atomic_ref<std::uint32_t, Scope>(flag).store(1, memory_order::release);
  } else {
    if constexpr (How == by::fence) fence<memory_order::release, Scope>();
    device_ref(flag).store(1, memory_order::relaxed);
  }
}

template <by How, scope Scope>
__device__ void await(cell32& flag) {
  if constexpr (How == by::access) {
    while (atomic_ref<std::uint32_t, Scope>(flag).load(memory_order::acquire) == 0) {
    }
  } else {
    while (device_ref(flag).load(memory_order::relaxed) == 0) {
    }
    if constexpr (How == by::fence) fence<memory_order::acquire, Scope>();
  }
}

template <by Release, scope ReleaseScope, by Acquire, scope AcquireScope, bool ReadBefore>
__global__ void hand_over(cell32* data, cell32* flag, cell32* seen) {
  if (is_first()) {
    for (unsigned i = 0; i < words; ++i) data[i * far] = i + 1;
    raise<Release, ReleaseScope>(*flag);
  } else if (is_second()) {
    std::uint32_t before = 0;
    if (ReadBefore) {
      for (unsigned i = 0; i < words; ++i) before += data[i * far];
    }
    await<Acquire, AcquireScope>(*flag);
    for (unsigned i = 0; i < words; ++i) seen[i] = data[i * far];
    seen[words] = before;
  }
}

/// Whether the reader misses some of the data under this kernel.
bool is_missing(void (*kernel)(cell32*, cell32*, cell32*), const launch_shape& shape) {
  std::vector<std::uint32_t> found = words_after(kernel, shape, {words * far, 1, words + 1})[2];
  found.pop_back();
  return found != std::vector<std::uint32_t>{1, 2, 3, 4};
}

enum class place { other_block, same_block };

template <by Release, scope ReleaseScope, by Acquire, scope AcquireScope, place Where,
          bool ReadBefore = false>
bool data_is_missing() {
  return is_missing(hand_over<Release, ReleaseScope, Acquire, AcquireScope, ReadBefore>,
                    Where == place::same_block ? two_warps : two_blocks);
}

constexpr auto device = scope::device;
constexpr auto block = scope::block;
constexpr auto other_block = place::other_block;
constexpr auto same_block = place::same_block;
constexpr bool reads_before = true;

TEST(weak_message, relaxed_flag_arrives_before_the_data) {
  expect_only_weak_memory_breaks(
      data_is_missing<by::nothing, device, by::access, device, other_block>);
  expect_only_weak_memory_breaks(
      data_is_missing<by::nothing, block, by::access, block, same_block>);
}

TEST(weak_message, release_and_acquire_hand_the_data_over) {
  expect_nothing_breaks(data_is_missing<by::access, device, by::access, device, other_block>);
  expect_nothing_breaks(
      data_is_missing<by::access, device, by::access, device, other_block, reads_before>);
}

TEST(weak_message, release_fence_equals_release_store) {
  expect_nothing_breaks(data_is_missing<by::fence, device, by::access, device, other_block>);
  expect_nothing_breaks(
      data_is_missing<by::fence, device, by::access, device, other_block, reads_before>);
}

TEST(weak_message, acquire_fence_equals_acquire_load) {
  expect_nothing_breaks(
      data_is_missing<by::access, device, by::fence, device, other_block, reads_before>);
  expect_nothing_breaks(
      data_is_missing<by::fence, device, by::fence, device, other_block, reads_before>);
}

TEST(weak_message, without_acquire_the_reader_keeps_what_it_has_cached) {
  expect_only_weak_memory_breaks(
      data_is_missing<by::access, device, by::nothing, device, other_block, reads_before>);
}

TEST(weak_message, acquire_at_block_scope_does_not_refresh_what_another_block_wrote) {
  expect_only_weak_memory_breaks(
      data_is_missing<by::access, device, by::fence, block, other_block, reads_before>);
}

TEST(weak_message, release_at_block_scope_does_not_publish_to_another_block) {
  expect_only_weak_memory_breaks(
      data_is_missing<by::access, block, by::access, device, other_block>);
  expect_only_weak_memory_breaks(
      data_is_missing<by::fence, block, by::access, device, other_block>);
}

TEST(weak_message, release_at_block_scope_publishes_to_its_own_block) {
  expect_nothing_breaks(data_is_missing<by::access, block, by::access, block, same_block>);
  expect_nothing_breaks(
      data_is_missing<by::access, block, by::access, block, same_block, reads_before>);
  expect_nothing_breaks(
      data_is_missing<by::fence, block, by::fence, block, same_block, reads_before>);
}

TEST(weak_message, release_at_device_scope_includes_its_own_block) {
  expect_nothing_breaks(
      data_is_missing<by::access, device, by::access, device, same_block, reads_before>);
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

TEST(weak_message, polling_at_block_scope_sees_in_the_end_what_another_block_wrote) {
  expect_nothing_breaks(never_sees_the_flag);
}

/// The flag is raised by a read-modify-write, and polled by one.
template <memory_order Raise, memory_order Poll>
__global__ void hand_over_by_rmw(cell32* data, cell32* flag, cell32* seen) {
  if (is_first()) {
    for (unsigned i = 0; i < words; ++i) data[i * far] = i + 1;
    device_ref(*flag).exchange(1, Raise);
  } else if (is_second()) {
    std::uint32_t before = 0;
    for (unsigned i = 0; i < words; ++i) before += data[i * far];
    while (device_ref(*flag).fetch_or(0, Poll) == 0) {
    }
    for (unsigned i = 0; i < words; ++i) seen[i] = data[i * far];
    seen[words] = before;
  }
}

template <memory_order Raise, memory_order Poll>
bool data_is_missing_by_rmw() {
  return is_missing(hand_over_by_rmw<Raise, Poll>, two_blocks);
}

TEST(weak_message, read_modify_writes_order_as_told) {
  using enum memory_order;
  expect_nothing_breaks(data_is_missing_by_rmw<release, acquire>);
  expect_nothing_breaks(data_is_missing_by_rmw<acq_rel, acq_rel>);
  expect_nothing_breaks(data_is_missing_by_rmw<seq_cst, seq_cst>);
}

TEST(weak_message, relaxed_read_modify_writes_order_nothing) {
  using enum memory_order;
  expect_only_weak_memory_breaks(data_is_missing_by_rmw<relaxed, acquire>);
  expect_only_weak_memory_breaks(data_is_missing_by_rmw<release, relaxed>);
}

}  // namespace
}  // namespace simt_test::weak_message_test
