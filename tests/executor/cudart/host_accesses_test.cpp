// Memory that the host and the device share: the host must have waited for what it accesses.
#include <cudart/findings.hpp>

#include <gtest/gtest.h>
#include <tests/executor/cudart/runtime.hpp>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace cudart_test {

namespace {

constexpr std::string_view text = R"(
.version 8.0
.target sm_90
.address_size 64

// *to = *from + 1
.visible .entry increments(.param .u64 from, .param .u64 to)
{
	.reg .b32 %r<2>;
	.reg .b64 %d<3>;
	ld.param.u64 %d1, [from];
	ld.param.u64 %d2, [to];
	ld.global.u32 %r1, [%d1];
	add.u32 %r1, %r1, 1;
	st.global.u32 [%d2], %r1;
	ret;
}

// Writes a word, then a flag that says so.
.visible .entry signals(.param .u64 word, .param .u64 flag)
{
	.reg .b64 %d<3>;
	ld.param.u64 %d1, [word];
	ld.param.u64 %d2, [flag];
	st.global.u32 [%d1], 7;
	st.release.sys.global.u32 [%d2], 1;
	ret;
}

// Counts a word up.
.visible .entry counts(.param .u64 word)
{
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [word];
	red.relaxed.gpu.global.add.u32 [%d1], 1;
	ret;
}

// The same, and makes sure that the host sees it.
.visible .entry counts_for_host(.param .u64 word)
{
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [word];
	red.relaxed.gpu.global.add.u32 [%d1], 1;
	membar.sys;
	ret;
}
)";

const char increments_kernel = 0;
const char signals_kernel = 0;
const char counts_kernel = 0;
const char counts_for_host_kernel = 0;

/// Accesses that the compiler leaves where they are.
std::uint32_t read(std::uint32_t* word) {
  return std::atomic_ref(*word).load(std::memory_order::relaxed);
}
void write(std::uint32_t* word, std::uint32_t value) {
  std::atomic_ref(*word).store(value, std::memory_order::relaxed);
}

/// Ends the process of a test, with 0 if exactly this number of findings was reported.
[[noreturn]] void end_with(std::size_t findings, std::string_view part_of_each = "") {
  const char* const report = std::getenv("FINESYNC_CHECK_REPORT");
  std::ifstream in(report);
  std::vector<cudart::finding> reported =
      cudart::from_lines({std::istreambuf_iterator<char>(in), {}}).findings;
  std::filesystem::remove(report);
  std::erase_if(reported, [](const cudart::finding& each) {
    return each.kind == cudart::finding_kind::launch;
  });
  for (const cudart::finding& each : reported) {
    std::fprintf(stderr, "reported: %s\n", each.text.c_str());
    if (each.text.find(part_of_each) == std::string::npos) std::_Exit(2);
  }
  std::_Exit(reported.size() == findings ? 0 : 1);
}

/// Each in a process of its own, as equal findings are reported once.
class cuda_host_accesses : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";  // the device is an OS thread
    report_ = std::filesystem::temp_directory_path() /
              ("finesync_host_accesses_test_" + std::to_string(getpid()));
    setenv("FINESYNC_CHECK_REPORT", report_.c_str(), 1);
  }

  /// Words that the host shares, all 0, in a page of their own.
  static std::uint32_t* shared_words() {
    static const registered_module program(text);
    program.kernel(&increments_kernel, "increments");
    program.kernel(&signals_kernel, "signals");
    program.kernel(&counts_kernel, "counts");
    program.kernel(&counts_for_host_kernel, "counts_for_host");
    void* words = nullptr;
    cudaMallocManaged(&words, 64, 1);
    std::memset(words, 0, 64);
    return static_cast<std::uint32_t*>(words);
  }
  static void increment(std::uint32_t* from, std::uint32_t* to) {
    launch(&increments_kernel, 1, 1, from, to);
  }

 private:
  inline static std::filesystem::path report_;
};

TEST_F(cuda_host_accesses, before_a_wait_are_races) {
  const auto reads = [] {
    std::uint32_t* const words = shared_words();
    increment(words, words + 1);
    const bool is_right = read(words + 1) == 1;  // it goes on with the value
    end_with(is_right ? 1 : 9, "cudaMallocManaged, byte 4 of 64, the read by the host");
  };
  EXPECT_EXIT(reads(), testing::ExitedWithCode(0),
              "is not ordered after the write by kernel increments.*cudaDeviceSynchronize");
  const auto writes = [] {
    std::uint32_t* const words = shared_words();
    increment(words, words + 1);
    write(words, 3);
    end_with(1, "byte 0 of 64, the write by the host");
  };
  EXPECT_EXIT(writes(), testing::ExitedWithCode(0), "after the read by kernel increments");
}

TEST_F(cuda_host_accesses, of_other_bytes_are_not) {
  const auto others = [] {
    std::uint32_t* const words = shared_words();
    increment(words, words + 1);
    write(words + 2, read(words));  // both read it
    end_with(0);
  };
  EXPECT_EXIT(others(), testing::ExitedWithCode(0), "");
}

TEST_F(cuda_host_accesses, after_every_kind_of_wait_are_not) {
  const auto waits = [] {
    std::uint32_t* const words = shared_words();
    std::uint32_t sum = 0;
    increment(words, words + 1);
    cudaDeviceSynchronize();
    sum += read(words + 1);
    write(words + 1, 0);
    increment(words, words + 1);
    cudaStreamSynchronize(nullptr);
    sum += read(words + 1);
    write(words + 1, 0);
    const cudaEvent_t event = new_event();
    increment(words, words + 1);
    cudaEventRecord(event, nullptr);
    cudaEventSynchronize(event);
    sum += read(words + 1);
    write(words + 1, 0);
    increment(words, words + 1);
    std::uint32_t copied = 0;
    cudaMemcpy(&copied, words + 1, sizeof copied, 2);
    sum += read(words + 1);
    write(words + 1, 0);
    increment(words, words + 1);
    cudaMemset(words + 2, 0, 4);
    sum += read(words + 1);
    write(words + 1, 0);
    end_with(sum == 5 && copied == 1 ? 0 : 9);
  };
  EXPECT_EXIT(waits(), testing::ExitedWithCode(0), "");
}

TEST_F(cuda_host_accesses, of_what_an_asynchronous_copy_uses_are_races) {
  const auto overwrites = [] {
    shared_words();
    void* device = nullptr;
    void* pinned = nullptr;
    cudaMalloc(&device, 4096);
    cudaMallocHost(&pinned, 4096);
    auto* const words = static_cast<std::uint32_t*>(pinned);
    write(words, 1);
    cudaMemcpyAsync(device, pinned, 4096, 1, nullptr);
    write(words + 1023, 2);
    end_with(1, "cudaMallocHost, byte 4092 of 4096, the write by the host");
  };
  EXPECT_EXIT(overwrites(), testing::ExitedWithCode(0), "after the read by cudaMemcpyAsync");
}

TEST_F(cuda_host_accesses, after_a_flag_that_the_kernel_set_are_not) {
  const auto shakes_hands = [](bool sees_flag) {
    std::uint32_t* const words = shared_words();
    std::uint32_t* const flag = shared_words();
    launch(&signals_kernel, 1, 1, words, flag);
    while (sees_flag && read(flag) == 0) {
    }
    end_with(read(words) == 7 && sees_flag ? 0 : 1);
  };
  EXPECT_EXIT(shakes_hands(true), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(shakes_hands(false), testing::ExitedWithCode(0), "the read by the host");
}

TEST_F(cuda_host_accesses, after_a_count_that_is_not_meant_for_the_host_are_races) {
  const auto looks = [](const char* kernel) {
    std::uint32_t* const words = shared_words();
    launch(kernel, 1, 1, words);
    const bool is_for_host = kernel == &counts_for_host_kernel;
    end_with(read(words) != 1 ? 9 : is_for_host ? 0 : 1);
  };
  EXPECT_EXIT(looks(&counts_kernel), testing::ExitedWithCode(0),
              "after the write by kernel counts");
  EXPECT_EXIT(looks(&counts_for_host_kernel), testing::ExitedWithCode(0), "");
}

TEST_F(cuda_host_accesses, by_functions_in_the_order_of_a_stream_are_not) {
  const auto calls = [] {
    static std::uint32_t* const words = shared_words();
    static std::uint32_t seen = 0;
    increment(words, words + 1);
    cudaLaunchHostFunc(
        nullptr,
        [](void*) {
          cudaMemsetAsync(words + 2, 0, 4, nullptr);
          seen = read(words + 1);
        },
        nullptr);
    end_with(seen == 1 ? 0 : 9);
  };
  EXPECT_EXIT(calls(), testing::ExitedWithCode(0), "");
}

TEST_F(cuda_host_accesses, by_the_runtime_itself_are_not) {
  const auto allocates = [] {
    std::uint32_t* const words = shared_words();
    increment(words, words + 1);
    void* in_the_same_page = nullptr;
    cudaMalloc(&in_the_same_page, 64);  // is filled with garbage
    end_with(0);
  };
  EXPECT_EXIT(allocates(), testing::ExitedWithCode(0), "");
}

TEST_F(cuda_host_accesses, of_freed_memory_that_is_used_again_are_not) {
  const auto frees = [] {
    std::uint32_t* const words = shared_words();
    increment(words, words + 1);
    cudaFree(words);
    std::uint32_t* const others = shared_words();
    write(others + 1, read(others));
    end_with(0);
  };
  EXPECT_EXIT(frees(), testing::ExitedWithCode(0), "");
}

TEST_F(cuda_host_accesses, elsewhere_end_the_program_as_ever) {
  const auto fails = [] {
    shared_words();
    const auto page_size = static_cast<std::uintptr_t>(getpagesize());
    write(reinterpret_cast<std::uint32_t*>(page_size), 1);
  };
  EXPECT_EXIT(fails(), testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace

}  // namespace cudart_test
