// Accesses outside the buffer of their address, even into other memory, and misaligned addresses.
#include "harness.hpp"

#include <finesync/device/ptx/message_128.cuh>
#include <finesync/device/shared_storage.cuh>

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace simt_test::address_report_test
