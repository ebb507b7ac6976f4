// Accesses outside the buffer of their address, even into other memory, and misaligned addresses.
#include "harness.hpp"

#include <finesync/device/ptx/message_128.cuh>
#include <finesync/device/shared_storage.cuh>

#include <gmock/gmock.h>

#include <stdexcept>

namespace simt_test::address_report_test {
namespace {

using simt::fault_kind;
using testing::HasSubstr;

__global__ void store_at(cell32* words, std::int64_t index) {
  if (threadIdx.x == 3) words[index] = 1;
}
__global__ void load_at(cell32* words, std::int64_t index) {
  if (threadIdx.x == 3) static_cast<void>(std::uint32_t{words[index]});
}
__global__ void add_at(cell32* words, std::int64_t index) {
  if (threadIdx.x == 3) device_ref(words[index]).fetch_add(1, memory_order::relaxed);
}

using access = void (*)(cell32*, std::int64_t);

ending ending_of_access(access kernel, const buffer<std::uint32_t>& words, std::int64_t index) {
  return ending_of(kernel, {}, words.device_data(), index);
}

void expect_outside(const buffer<std::uint32_t>& words, std::int64_t index,
                    const std::string& place) {
  for (const access kernel : {store_at, load_at, add_at}) {
    expect_stuck(ending_of_access(kernel, words, index), fault_kind::bad_address,
                 {"block 0, thread 3 (address_report_test.cpp:", "accessed 4 bytes", place});
  }
}

__global__ void read_plainly(const std::uint32_t* words, std::uint32_t* found) {
  if (threadIdx.x == 3) *found = words[blockIdx.x];
}

#ifndef __SANITIZE_ADDRESS__
TEST(address_report, a_plain_access_outside_the_process_ends_the_launch_alone) {
  std::uint32_t found = 0;
  for (const auto at : {std::uintptr_t{64}, ~std::uintptr_t{0} - 4095})
    expect_stuck(ending_of(read_plainly, {}, reinterpret_cast<const std::uint32_t*>(at), &found),
                 fault_kind::bad_address,
                 {"block 0, thread 3 (address_report_test.cpp:", "neither in a"});
  const std::uint32_t right = 7;
  EXPECT_FALSE(ending_of(read_plainly, {}, &right, &found).stuck);
  EXPECT_EQ(found, 7u);
}
#endif

TEST(address_report, buffers_end_where_they_were_asked_to) {
  for (const std::size_t size : {1, 63, 64, 65, 1000}) {
    const buffer<std::uint32_t> before = zeroed_words(7);
    const buffer<std::uint32_t> words = zeroed_words(size);
    const buffer<std::uint32_t> after = zeroed_words(7);
    const auto end = static_cast<std::int64_t>(size);
    for (const access kernel : {store_at, load_at, add_at}) {
      EXPECT_FALSE(ending_of_access(kernel, words, 0).stuck);
      EXPECT_FALSE(ending_of_access(kernel, words, end - 1).stuck);
    }
    const std::string buffer_name = "buffer 2 (" + std::to_string(size) + " x unsigned int)";
    expect_outside(words, end, "0 bytes past the end of " + buffer_name);
    expect_outside(words, end + 2, "8 bytes past the end of " + buffer_name);
    expect_outside(words, -1, "4 bytes before " + buffer_name);
    EXPECT_EQ(before.to_host(), std::vector<std::uint32_t>(7, 0));
    EXPECT_EQ(after.to_host(), std::vector<std::uint32_t>(7, 0));
  }
}

TEST(address_report, a_buffer_that_was_freed_is_told_from_one_that_is_too_short) {
  const buffer<std::uint32_t> kept = zeroed_words(1);
  cell32* const freed = zeroed_words(100).device_data();
  expect_stuck(ending_of(store_at, {}, freed, 70), fault_kind::bad_address,
               {"280 bytes into buffer 2 (100 x unsigned int)", "which has been freed"});
}

TEST(address_report, a_buffer_is_called_by_its_name) {
  const buffer<std::uint32_t> before(7, "head");
  const auto words = buffer<std::uint32_t>::zeroed(10, "queue");
  expect_outside(words, 12, "8 bytes past the end of buffer 'queue' (10 x unsigned int)");
  expect_outside(words, -1, "4 bytes before buffer 'queue' (10 x unsigned int)");
}

struct ticket {
  std::uint32_t number;
  std::uint32_t turn;
};

TEST(address_report, a_buffer_without_a_name_is_called_by_its_number_and_its_type) {
  const buffer<ticket> first(3);
  const zeroed_states<cell<std::uint64_t>> second(2);
  const auto report_of_end = [](void* memory, std::size_t words) {
    return ending_of(store_at, {}, static_cast<cell32*>(memory), static_cast<std::int64_t>(words))
        .report;
  };
  EXPECT_THAT(report_of_end(first.raw_pointer(), 6), HasSubstr("buffer 1 (3 x ticket)"));
  EXPECT_THAT(report_of_end(second.device_data(), 4),
              HasSubstr("buffer 2 (2 x cell<unsigned long>)"));
}

template <class Word>
__global__ void touch(unsigned char* bytes) {
  *reinterpret_cast<cell<Word>*>(bytes) = Word{};
}

template <class Word>
ending ending_of_touch(const buffer<unsigned char>& bytes, std::size_t offset) {
  return ending_of(touch<Word>, {.threads_per_block = 1}, bytes.raw_pointer() + offset);
}

TEST(address_report, an_access_must_lie_in_its_buffer_with_all_of_its_bytes) {
  const buffer<unsigned char> bytes(523);
  EXPECT_FALSE(ending_of_touch<unsigned char>(bytes, 522).stuck);
  EXPECT_FALSE(ending_of_touch<std::uint16_t>(bytes, 520).stuck);
  expect_stuck(ending_of_touch<std::uint16_t>(bytes, 522), fault_kind::bad_address,
               {"accessed 2 bytes", "522 bytes into buffer 1 (523 x unsigned char)", "its end"});
  expect_stuck(ending_of_touch<std::uint64_t>(bytes, 520), fault_kind::bad_address,
               {"accessed 8 bytes", "520 bytes into buffer 1 (523 x unsigned char)"});
}

__global__ void store_in_shared(unsigned offset) {
  *reinterpret_cast<cell64*>(shared_bytes() + offset) = 1u;
}

TEST(address_report, shared_memory_has_an_end_too) {
  const launch_shape shape{.blocks = 2, .threads_per_block = 1, .shared_bytes = 44};
  const auto at = [&](unsigned offset) { return ending_of(store_in_shared, shape, offset); };
  EXPECT_FALSE(at(32).stuck);
  expect_stuck(at(40), fault_kind::bad_address,
               {"8 bytes", "40 bytes into its block's shared storage of 44 bytes"});
  expect_stuck(at(36), fault_kind::misaligned,
               {"shared memory +0x24, which is not a multiple of 8 bytes"});
}

template <class Word>
void expect_misaligned(const buffer<unsigned char>& bytes, std::size_t offset) {
  expect_stuck(
      ending_of_touch<Word>(bytes, offset), fault_kind::misaligned,
      {"block 0, thread 0", "not a multiple of " + std::to_string(sizeof(Word)) + " bytes"});
}

TEST(address_report, plain_cells_are_aligned) {
  const buffer<unsigned char> bytes(64);
  expect_misaligned<std::uint16_t>(bytes, 1);
  expect_misaligned<std::uint32_t>(bytes, 2);
  expect_misaligned<std::uint64_t>(bytes, 4);
  expect_misaligned<message_128>(bytes, 8);
}

struct triple {
  std::uint32_t a, b, c;
};

TEST(address_report, a_struct_is_aligned_as_its_members) {
  const buffer<unsigned char> bytes(64);
  EXPECT_FALSE(ending_of_touch<triple>(bytes, 20).stuck);
  expect_stuck(ending_of_touch<triple>(bytes, 18), fault_kind::misaligned, {"multiple of 4 bytes"});
}

__global__ void add_to_half_a_word(cell32* words) {
  using wide = atomic_ref<std::uint64_t, scope::device>;
  wide(*reinterpret_cast<cell64*>(words + 1)).fetch_add(1, memory_order::relaxed);
}
__global__ void load_half_a_message(cell32* words) {
  static_cast<void>(load_message(*reinterpret_cast<cell<message_128>*>(words + 2)));
}

TEST(address_report, atomics_and_messages_are_aligned) {
  expect_stuck(ending_of(add_to_half_a_word, {}, {8}), fault_kind::misaligned,
               {"buffer 1 (8 x unsigned int) + 0x4 (element 1)", "not a multiple of 8 bytes"});
  expect_stuck(ending_of(load_half_a_message, {}, {8}), fault_kind::misaligned,
               {"not a multiple of 16 bytes"});
}

// Kernels that break a rule of the machine: barriers that not all threads reach, stacks that are
// too small, addresses outside device memory. And kernels that throw.

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
}  // namespace simt_test::address_report_test
