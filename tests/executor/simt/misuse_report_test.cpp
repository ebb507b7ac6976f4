// Kernels that break a rule of the machine: barriers that not all threads reach, stacks that are
// too small, addresses outside device memory. And kernels that throw.
#include "harness.hpp"

#include <finesync/device/shared_storage.cuh>

#include <stdexcept>

namespace simt_test::misuse_report_test {
namespace {
using simt::fault_kind;

__global__ void leave_while_others_wait() {
  if (threadIdx.x != 40) __syncthreads();
}

TEST(misuse_report, thread_ends_while_its_block_waits_at_a_barrier) {
  expect_stuck(ending_of(leave_while_others_wait, {.threads_per_block = 64}),
               fault_kind::divergent_barrier,
               {"block 0, thread 40 ends", "40 of its block's 64 threads wait"});
}

__global__ void come_after_others_left() {
  if (threadIdx.x > 0) return;
  __syncwarp(1);
  __syncthreads();
}

TEST(misuse_report, thread_comes_to_a_barrier_after_others_have_ended) {
  expect_stuck(ending_of(come_after_others_left, {}), fault_kind::divergent_barrier,
               {"block 0, thread 0", "after others have ended", "32 threads"});
}

/// Every frame is small, their sum is not.
__attribute__((noinline)) unsigned dig(unsigned depth) {
  volatile unsigned char frame[128];
  frame[0] = static_cast<unsigned char>(depth);
  return depth == 0 ? 0u : dig(depth - 1) + frame[0];
}

__global__ void recurse(cell32* out, unsigned depth) {
  if (threadIdx.x == 17) *out = dig(depth);
}

TEST(misuse_report, recursion_overflows_the_stack) {
  EXPECT_EQ(words_after(recurse, {}, {1}, 10)[0][0], 55u);
  expect_stuck(ending_of(recurse, {}, {1}, 100'000), fault_kind::stack_overflow,
               {"block 0, thread 17", std::to_string(simt::settings{}.stack_bytes) + " bytes"});
}

TEST(misuse_report, a_larger_stack_holds_a_deeper_recursion) {
  const auto is_stuck_with = [&](std::size_t stack_bytes) {
    simt::settings s;
    s.stack_bytes = stack_bytes;
    const simt::scoped_settings use(s);
    return ending_of(recurse, {}, {1}, 100u).stuck;
  };
  EXPECT_TRUE(is_stuck_with(8 * 1024));
  EXPECT_FALSE(is_stuck_with(64 * 1024));
}

template <unsigned Bytes>
__global__ void use_large_array(cell32* out) {
  volatile unsigned char large[Bytes];
  for (unsigned i = 0; i < Bytes; ++i) large[i] = static_cast<unsigned char>(i);
  *out = large[threadIdx.x];
}

// An executor that misses this continues below its lowest stack.
TEST(misuse_report_death_test, one_large_array_overflows_the_stack) {
  expect_in_own_process(
      [] { return ending_of(use_large_array<65536>, {}, {1}).report.find("stack overflow") == 0; });
}

__global__ void write_word(cell32* word) {
  *word = 1;
}
__global__ void read_word(cell32* word) {
  static_cast<void>(std::uint32_t{*word});
}

TEST(misuse_report, a_variable_of_the_host_is_no_device_memory) {
  std::uint32_t host_variable = 42;
  auto* word = reinterpret_cast<cell32*>(&host_variable);
  for (const auto kernel : {write_word, read_word})
    expect_stuck(ending_of(kernel, {}, word), fault_kind::bad_address,
                 {"block 0, thread 0", "device buffer"});
  EXPECT_EQ(host_variable, 42u);
}

TEST(misuse_report, a_null_pointer_is_no_device_memory) {
  expect_stuck(ending_of(write_word, {}, nullptr), fault_kind::bad_address, {"accessed"});
}

TEST(misuse_report, a_variable_of_the_kernel_is_no_device_memory) {
  expect_stuck(ending_of(+[] { [[maybe_unused]] const cell32 local(1u); }, {}),
               fault_kind::bad_address, {"accessed"});
}

__global__ void write_past_shared(unsigned bytes) {
  (&shared_storage<cell32>())[bytes / 4] = 1;
}

TEST(misuse_report, shared_memory_ends_where_the_launch_said) {
  const launch_shape shape = {.blocks = 2, .shared_bytes = 64};
  EXPECT_FALSE(ending_of(write_past_shared, shape, 60u).stuck);
  expect_stuck(ending_of(write_past_shared, shape, 64u), fault_kind::bad_address,
               {"shared storage"});
}

/// A pointer into shared memory means nothing in another block.
__global__ void touch_shared_of_other_block(cell64* pointer) {
  cell32& own = shared_storage<cell32>();
  if (blockIdx.x == 0) {
    own = 1;
    atomic_ref<std::uint64_t, scope::device>(*pointer).store(reinterpret_cast<std::uintptr_t>(&own),
                                                             memory_order::release);
    return;
  }
  std::uint64_t found = 0;
  while (found == 0) {
    found = atomic_ref<std::uint64_t, scope::device>(*pointer).load(memory_order::acquire);
  }
  *reinterpret_cast<cell32*>(found) = 2;
}

TEST(misuse_report, shared_memory_of_another_block_is_out_of_reach) {
  auto pointer = buffer<std::uint64_t>::zeroed(1);
  expect_stuck(
      ending_of(touch_shared_of_other_block,
                {.blocks = 2, .threads_per_block = 1, .shared_bytes = 4}, pointer.device_data()),
      fault_kind::bad_address, {"block 1, thread 0"});
}

__global__ void throw_from_thread(unsigned thread) {
  __syncthreads();
  if (threadIdx.x == thread) throw std::domain_error("thrown on the device");
  __syncthreads();
}

TEST(misuse_report, what_a_kernel_throws_arrives_at_the_launch) {
  EXPECT_THROW(launch_cooperative(throw_from_thread, {.blocks = 3}, 7u), std::domain_error);
  EXPECT_NO_THROW(launch_cooperative(throw_from_thread, {.blocks = 3}, 32u));
}

__global__ void launch_from_kernel() {
  launch_cooperative(write_word, {}, nullptr);
}

TEST(misuse_report_death_test, a_kernel_cannot_launch_a_kernel) {
  expect_in_own_process([] {
    try {
      launch_cooperative(launch_from_kernel, {});
    } catch (const std::logic_error&) {
      return true;
    }
    return false;
  });
}

}  // namespace
}  // namespace simt_test::misuse_report_test
