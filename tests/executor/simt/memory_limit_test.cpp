// Device memory on computers and in processes with little memory.
#include "harness.hpp"

#include <simt/host_memory.hpp>

#include <sys/resource.h>

#include <cstdio>

namespace simt_test::memory_limit_test {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

std::string refusal_of(std::size_t bytes) {
  try {
    const buffer<std::byte> all(bytes);
  } catch (const device_memory_error& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(memory_limit, more_than_the_executor_has_is_refused_with_what_fits) {
  EXPECT_EQ(refusal_of(mib), "");
  const std::string words = refusal_of(std::size_t{1} << 40);
  EXPECT_TRUE(words.starts_with("its data needs 1.1e+03 GB of memory or more, and ")) << words;
  EXPECT_NE(words.find(" GB is what "), std::string::npos) << words;
}

TEST(memory_limit, what_a_size_needs_is_asked_before_it_is_allocated) {
  require_device_memory(mib);
  EXPECT_THROW(require_device_memory(std::size_t{1} << 40), device_memory_error);
}

TEST(memory_limit, this_computer_has_free_memory) {
  EXPECT_GT(simt::free_memory(), 64 * mib);
  EXPECT_LT(simt::free_memory(), std::size_t{1} << 50);
}

// Ends the process, which has not used any device memory yet, after it did with a limit on its
// addresses.
[[noreturn]] void use_memory_within(std::size_t addresses, std::size_t bytes) {
  const rlimit limit{addresses, addresses};
  setrlimit(RLIMIT_AS, &limit);
  const std::string refused = refusal_of(bytes);
  std::fputs(refused.c_str(), stderr);
  std::exit(refused.empty() ? 0 : 2);
}

TEST(memory_limit_death_test, a_process_with_few_addresses_uses_those) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(use_memory_within(7600 * mib, 8 * mib), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(use_memory_within(1500 * mib, 8 * mib), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(use_memory_within(1500 * mib, 1200 * mib), ::testing::ExitedWithCode(2),
              "is what this process may have \\(ulimit -v\\)");
}

}  // namespace
}  // namespace simt_test::memory_limit_test
