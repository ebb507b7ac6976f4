// What the race detector keeps of a word: each earlier access that a later one may race with.
#include "races.hpp"

namespace simt_test::race_history_test {
namespace {

using enum memory_order;

using step = void (*)(cell32* word);

/// Blocks 0, 1 and 2 take one step each on a word, one after another. Block 1 is ordered after
/// block 0, and block 2 after block 1, if they acquire.
template <step First, step Second, step Third, memory_order By1, memory_order By2 = acquire>
void one_after_another(cell32* words) {
  if (blockIdx.x == 1) await<scope::device>(words[far], By1);
  if (blockIdx.x == 2) await<scope::device>(words[2 * far], By2);
  constexpr step steps[] = {First, Second, Third};
  steps[blockIdx.x](words);
  device_ref(words[(1 + blockIdx.x) * far]).store(1, release);
}

/// The third step races with the first, unless the second is ordered after it.
template <step First, step Second, step Third>
void expect_first_is_kept(std::initializer_list<std::string_view> words) {
  EXPECT_EQ(race_of(one_after_another<First, Second, Third, acquire>, 3), "");
  expect_race(race_of(one_after_another<First, Second, Third, relaxed>, 3), words);
}

cell<std::uint8_t>& byte_of(cell32* word, unsigned index) {
  return reinterpret_cast<cell<std::uint8_t>*>(word)[index];
}
template <unsigned Byte>
void write_byte(cell32* word) {
  byte_of(word, Byte) = 1;
}
template <unsigned Byte>
void read_byte(cell32* word) {
  static_cast<void>(byte_of(word, Byte) + 0u);
}
void read_word(cell32* word) {
  static_cast<void>(*word + 0u);
}
void write_word(cell32* word) {
  *word = 1;
}
void nothing(cell32*) {}
void read_and_write_byte_1(cell32* word) {
  read_byte<1>(word);
  write_byte<1>(word);
}

TEST(race_history, keeps_writes_of_other_bytes) {
  expect_first_is_kept<write_byte<0>, write_byte<1>, read_word>(
      {"plain load of 4 bytes by block 2", "plain store of 1 bytes by block 0"});
}

TEST(race_history, keeps_a_single_read) {
  expect_first_is_kept<read_word, nothing, write_word>(
      {"plain store of 4 bytes by block 2", "plain load of 4 bytes by block 0"});
}

TEST(race_history, keeps_reads_of_other_bytes_that_happened_before) {
  expect_race(
      race_of(one_after_another<read_byte<0>, read_byte<1>, write_byte<0>, acquire, relaxed>, 3),
      {"plain store of 1 bytes by block 2", "plain load of 1 bytes by block 0"});
}

TEST(race_history, keeps_reads_of_other_bytes) {
  expect_first_is_kept<read_byte<0>, read_byte<1>, write_word>(
      {"plain store of 4 bytes by block 2", "plain load of 1 bytes by block 0"});
}

TEST(race_history, keeps_a_wide_read_that_a_narrow_one_follows) {
  expect_first_is_kept<read_word, read_byte<1>, write_byte<0>>(
      {"plain store of 1 bytes by block 2", "plain load of 4 bytes by block 0"});
}

TEST(race_history, keeps_reads_of_other_bytes_than_a_later_write) {
  expect_first_is_kept<read_byte<0>, read_and_write_byte_1, write_byte<0>>(
      {"plain store of 1 bytes by block 2", "plain load of 1 bytes by block 0"});
}

TEST(race_history, keeps_reads_without_an_order) {
  expect_first_is_kept<read_word, read_word, write_word>(
      {"plain store of 4 bytes by block 2", "plain load of 4 bytes by block 0"});
}

__global__ void write_by(cell32* word, unsigned block) {
  if (blockIdx.x == block) *word = 1;
}

TEST(race_history, begins_with_the_launch) {
  const simt::scoped_settings use(looking_for_races(1));
  const buffer<std::uint32_t> words = zeroed_words(1);
  for (unsigned writer = 0; writer < 2; ++writer) {
    EXPECT_NO_THROW(launch_cooperative(write_by, {.blocks = 2, .threads_per_block = 1},
                                       words.device_data(), writer));
  }
}

}  // namespace
}  // namespace simt_test::race_history_test
