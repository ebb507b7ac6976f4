// Reads of global memory that nothing has written.
#include <cudart/findings.hpp>

#include <gtest/gtest.h>
#include <tests/executor/cudart/runtime.hpp>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

namespace cudart_test::unset_reads_test {

namespace {

using bytes = std::byte*;

constexpr std::size_t size = 64;

bytes allocated() {
  void* memory = nullptr;
  cudaMalloc(&memory, size);
  return static_cast<bytes>(memory);
}

/// Memory that is set up to an offset.
bytes set_up_to(std::size_t count) {
  const bytes memory = allocated();
  cudaMemset(memory, 0, count);
  return memory;
}

bytes copy_of(const void* from, std::size_t count) {
  const bytes memory = allocated();
  cudaMemcpy(memory, from, count, cudaMemcpyDefault);
  return memory;
}

bytes managed() {
  void* memory = nullptr;
  cudaMallocManaged(&memory, size, 1);
  return static_cast<bytes>(memory);
}

bytes pinned() {
  void* memory = nullptr;
  cudaMallocHost(&memory, size);
  return static_cast<bytes>(memory);
}

/// The second half of each row of eight bytes is set.
bytes halves_of_rows() {
  const bytes memory = allocated();
  cudaMemcpy2D(memory + 4, 8, set_up_to(size), 16, 4, 4, cudaMemcpyDefault);
  return memory;
}

/// A kernel of one thread that is given an address.
struct kernel_case {
  std::string what;
  std::string does;  ///< with the address in %d1
  std::function<bytes()> address;
  std::string told;  ///< of its line: "", "hint", "failure" or both
  char host = 0;
};

const std::string load = "ld.global.u32 %r1, [%d1];";
const std::string add = "red.global.add.u32 [%d1], 1;";

std::deque<kernel_case> all_cases() {
  return {
      {"memory that nothing has written", load, allocated, "failure"},
      {"a part of it that nothing has written", load, [] { return set_up_to(4) + 8; }, "hint"},
      {"a byte too many", load, [] { return set_up_to(6) + 4; }, "hint"},
      {"what was set", load, [] { return set_up_to(8) + 4; }, ""},
      {"a vector with its last bytes unset", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];",
       [] { return set_up_to(15); }, "hint"},
      {"a vector that is set", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];",
       [] { return set_up_to(32) + 16; }, ""},
      {"a flag that nothing has written", "ld.relaxed.gpu.global.u32 %r1, [%d1];", allocated,
       "failure"},
      {"a count from anything", add, [] { return set_up_to(8) + 8; }, "failure"},
      {"a count from zero", add, [] { return set_up_to(8) + 4; }, ""},
      {"a count in the word around a byte", add, [] { return set_up_to(1); }, "hint"},
      {"a sum from anything", "red.global.add.f32 [%d1], 0f3F800000;",
       [] { return set_up_to(8) + 8; }, "hint failure"},
      {"a first exchange", "atom.global.exch.b32 %r1, [%d1], 1;", allocated, "hint"},
      {"a lock in no state", "atom.global.cas.b32 %r1, [%d1], 0, 1;", allocated, "failure"},
      {"what the kernel stores", "st.global.u32 [%d1], 1;" + load + add, allocated, ""},
      {"half of what the kernel stores", "st.global.u16 [%d1], 1;" + load, allocated, "hint"},
      {"what an exchange stores",
       "atom.global.exch.b32 %r1, [%d1+4], 1; ld.global.u32 %r1, [%d1+4];",
       [] { return set_up_to(8); }, ""},
      {"a copy of the host's", load, [] { return copy_of(&size, sizeof size) + 4; }, ""},
      {"what the copy has left out", load, [] { return copy_of(&size, sizeof size) + 8; }, "hint"},
      {"a copy of unset memory", load, [] { return copy_of(allocated(), size); }, "failure"},
      {"a copy of set bytes", load, [] { return copy_of(set_up_to(7) + 1, 8); }, ""},
      {"a copy with an unset byte", load, [] { return copy_of(set_up_to(7) + 1, 8) + 4; }, "hint"},
      {"a copy of managed memory", load, [] { return copy_of(managed(), size) + 60; }, ""},
      {"a copied row", load, [] { return halves_of_rows() + 28; }, ""},
      {"what is between copied rows", load, [] { return halves_of_rows() + 24; }, "hint"},
      {"managed memory", load + add, managed, ""},
      {"memory of the host", load + add, pinned, ""},
      {"an asynchronous copy",
       "cp.async.ca.shared.global [tile], [%d1], 4; .loc 1 7 3\n cp.async.wait_all;", allocated,
       "failure"},
  };
}

std::string name_of(std::size_t number) {
  return "case_" + std::to_string(number);
}

/// A kernel for each; the line is its number.
std::string text_of(const std::deque<kernel_case>& cases) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"/home/me/cases.cu\"\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    text += ".visible .entry " + name_of(i) +
            "(.param .u64 at)\n{\n.reg .b32 %r<5>;\n.reg .b64 %d<2>;\n.shared .align 4 .b8 "
            "tile[4];\nld.param.u64 %d1, [at];\n.loc 1 " +
            std::to_string(100 + i) + " 3\n" + cases[i].does + "\nret;\n}\n";
  }
  return text;
}

/// What is told of each kernel, and of its line alone.
std::vector<std::string> told_of(const std::deque<kernel_case>& cases, const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> told(cases.size());
  for (const cudart::finding& each :
       cudart::from_lines({std::istreambuf_iterator<char>(in), {}}).findings) {
    if (each.kind == cudart::finding_kind::launch) continue;
    const auto number = static_cast<std::size_t>(std::stoi(each.kernel.substr(5)));
    EXPECT_EQ(each.rule, "uninitialized-memory");
    EXPECT_EQ(each.places,
              std::vector<std::string>{"/home/me/cases.cu:" + std::to_string(100 + number)});
    told[number] += told[number].empty() ? "" : " ";
    told[number] += each.kind == cudart::finding_kind::hint ? "hint" : "failure";
  }
  return told;
}

class unset_reads : public testing::TestWithParam<const char*> {};

TEST_P(unset_reads, are_told_of_memory_that_a_program_has_allocated_and_not_set) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto file = (std::filesystem::temp_directory_path() /
                     ("finesync_unset_reads_test_" + std::to_string(getpid())))
                        .string();
  const auto run_all = [&] {
    setenv("FINESYNC_CHECK_REPORT", file.c_str(), 1);
    setenv("FINESYNC_CHECK_MEMORY", GetParam(), 1);
    std::deque<kernel_case> cases = all_cases();
    const registered_module program(text_of(cases));
    for (std::size_t i = 0; i < cases.size(); ++i) {
      program.kernel(&cases[i].host, name_of(i).c_str());
      launch(&cases[i].host, 1, 1, cases[i].address());
    }
    const auto told = told_of(cases, file);
    std::filesystem::remove(file);
    for (std::size_t i = 0; i < cases.size(); ++i)
      EXPECT_EQ(told[i], cases[i].told) << cases[i].what;
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(run_all(), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(memories, unset_reads, testing::Values("strong", "weak"));

TEST(zeroed_memory, is_set) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto counts = [] {
    setenv("FINESYNC_CHECK_ZEROED", "1", 1);
    static const char host = 0;
    const registered_module program(text_of({{"", add, allocated, ""}}));
    program.kernel(&host, "case_0");
    launch(&host, 1, 1, allocated());
    std::fprintf(stderr, "end");
    std::_Exit(0);
  };
  EXPECT_EXIT(counts(), testing::ExitedWithCode(0), "^end$");
}

}  // namespace

}  // namespace cudart_test::unset_reads_test
