// The PTX of fat binaries: which entry is taken, what is refused, and hostile input.
#include "fat_binaries.hpp"

#include <cudart/fat_binary.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace cudart_test {
namespace {

using testing::HasSubstr;

const std::string older = ".version 8.0\n.target sm_75\n";
const std::string newer = ".version 8.0\n.target sm_90\n";

/// In memory of its exact size, so that AddressSanitizer sees a read past its end.
std::string ptx_in(const binary& made) {
  return cudart::ptx_of(binary(made));
}

std::string refusal_of(const binary& made) {
  try {
    ptx_in(made);
  } catch (const cudart::fat_binary_error& refused) {
    return refused.what();
  }
  return "none";
}

TEST(fat_binary, the_newest_ptx_up_to_sm_90_is_taken) {
  const binary made =
      fat_binary({entry(ptx_kind, 90, newer), entry(ptx_kind, 75, older),
                  entry(ptx_kind, 100, ".version 9.0\n"), entry(machine_code_kind, 90, "code")});
  EXPECT_EQ(ptx_in(made), newer);
}

TEST(fat_binary, its_own_header_may_be_longer) {
  binary made = fat_binary({entry(ptx_kind, 90, newer)});
  put(made, 6, std::uint16_t{24});
  made.insert(made.begin() + 16, 8, std::byte{1});
  EXPECT_EQ(ptx_in(made), newer);
}

TEST(fat_binary, zeros_after_the_text_are_left_out) {
  EXPECT_EQ(ptx_in(fat_binary({entry(ptx_kind, 75, older + std::string(5, '\0'))})), older);
}

TEST(fat_binary, without_ptx_the_refusal_says_how_to_compile) {
  EXPECT_THAT(refusal_of(fat_binary({})), HasSubstr(cudart::nvcc_options));
  EXPECT_THAT(refusal_of(fat_binary({entry(machine_code_kind, 90, "code")})),
              HasSubstr("no PTX of sm_90 or older"));
  EXPECT_THAT(refusal_of(fat_binary({entry(ptx_kind, 100, newer)})), HasSubstr("no PTX"));
}

TEST(fat_binary, compressed_ptx_is_refused) {
  EXPECT_THAT(refusal_of(fat_binary({entry(ptx_kind, 90, "\x28\xb5\x2f\xfd")})),
              HasSubstr("compressed: compile with nvcc -cudart shared --no-compress"));
}

TEST(fat_binary, each_size_is_checked) {
  const binary whole = fat_binary({entry(ptx_kind, 75, older)});
  const auto changed = [&](std::size_t offset, auto value) {
    binary other = whole;
    put(other, offset, value);
    return refusal_of(other);
  };
  EXPECT_THAT(changed(0, std::uint32_t{0}), HasSubstr("first word is not that of fat binaries"));
  EXPECT_THAT(changed(6, std::uint16_t{15}), HasSubstr("header has 15 bytes, not at least 16"));
  EXPECT_THAT(changed(8, ~std::uint64_t{0}),
              HasSubstr("size of 18446744073709551615 bytes is impossible"));
  EXPECT_THAT(changed(8, std::uint64_t{whole.size()}), HasSubstr("cut off"));
  EXPECT_THAT(changed(8, std::uint64_t{31}), HasSubstr("an entry's header is cut off"));
  EXPECT_THAT(changed(16 + 4, std::uint32_t{31}),
              HasSubstr("an entry's header cannot have 31 bytes"));
  EXPECT_THAT(changed(16 + 4, ~std::uint32_t{0}), HasSubstr("header cannot have 4294967295"));
  EXPECT_THAT(changed(16 + 8, ~std::uint64_t{0}), HasSubstr("an entry is cut off"));
  EXPECT_THAT(refusal_of(binary(15)), HasSubstr("header is cut off"));
}

TEST(fat_binary, hostile_ones_are_read_or_refused) {
  const binary whole = fat_binary({entry(ptx_kind, 90, newer), entry(machine_code_kind, 90, "code"),
                                   entry(ptx_kind, 75, older)});
  std::mt19937 random(1);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  unsigned read = 0;
  constexpr unsigned inputs = 20'000;
  for (unsigned i = 0; i < inputs; ++i) {
    binary other(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(
                                                    below(2) ? whole.size() : below(whole.size())));
    for (std::size_t changes = below(4); changes-- > 0 && !other.empty();) {
      static constexpr unsigned char odd[] = {0, 1, 0x7f, 0x80, 0xff};
      other[below(other.size())] = static_cast<std::byte>(odd[below(std::size(odd))]);
    }
    read += refusal_of(other) == "none";
  }
  EXPECT_GT(read, inputs / 20);
  EXPECT_LT(read, inputs);
}

}  // namespace
}  // namespace cudart_test
