// Programs register PTX, launch it, and learn what was found, as nvcc's stubs do it.
#include <cudart/findings.hpp>

#include <gtest/gtest.h>
#include <tests/executor/cudart/runtime.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace cudart_test {

namespace {

constexpr std::string_view text = R"(
.version 8.0
.target sm_90
.address_size 64
.file 1 "/home/me/kernel.cu"
.visible .global .align 4 .u32 scale = 3;

// out[i] = scale * in[i], by one block
.visible .entry scaled(.param .u64 in, .param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [in];
	ld.param.u64 %d2, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d3, %r1, 4;
	add.s64 %d1, %d1, %d3;
	add.s64 %d2, %d2, %d3;
	ld.global.u32 %r2, [%d1];
	ld.global.u32 %r3, [scale];
	mul.lo.u32 %r2, %r2, %r3;
	st.global.u32 [%d2], %r2;
	ret;
}

// Loads the word at an address.
.visible .entry touches(.param .u64 at)
{
	.reg .b32 %r<2>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [at];
	.loc 1 12 3
	ld.global.u32 %r1, [%d1];
	ret;
}

// Sets three bytes of shared memory, reads them and another one, and counts the next word up.
.visible .entry forgets_to_set()
{
	.shared .align 4 .b8 tile[8];
	.reg .b32 %r<2>;
	st.shared.u16 [tile], 1;
	st.shared.u8 [tile+2], 1;
	.loc 1 20 3
	ld.shared.u16 %r1, [tile];
	.loc 1 21 3
	ld.shared.u32 %r1, [tile];
	.loc 1 22 3
	red.shared.add.u32 [tile+4], 1;
	.loc 1 23 3
	red.shared.add.u32 [tile+4], 1;
	ret;
}
)";

const char scaled_kernel = 0;
const char races_kernel = 0;
const char touches_kernel = 0;
const char forgets_to_set_kernel = 0;
const char never_registered = 0;
std::uint32_t scale_variable = 0;

/// This process's file of findings. Said before anything calls the runtime.
const std::filesystem::path& report_file() {
  static const std::filesystem::path path = [] {
    const auto file = std::filesystem::temp_directory_path() /
                      ("finesync_cudart_test_" + std::to_string(getpid()));
    setenv("FINESYNC_CHECK_REPORT", file.c_str(), 1);
    return file;
  }();
  return path;
}

std::vector<cudart::finding> findings() {
  std::ifstream in(report_file());
  return cudart::from_lines({std::istreambuf_iterator<char>(in), {}}).findings;
}

std::vector<cudart::finding> findings_of(cudart::finding_kind kind) {
  std::vector<cudart::finding> all = findings();
  std::erase_if(all, [&](const cudart::finding& each) { return each.kind != kind; });
  return all;
}

class cuda_runtime : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";  // the device is an OS thread
    report_file();
    const registered_module program(std::string(text) + racing_kernel("_Z5racesPi", 1));
    program.kernel(&scaled_kernel, "scaled");
    program.kernel(&forgets_to_set_kernel, "forgets_to_set");
    program.kernel(&races_kernel, "_Z5racesPi");
    program.kernel(&touches_kernel, "touches");
    program.variable(&scale_variable, "scale", sizeof scale_variable);
  }
  static void TearDownTestSuite() { std::filesystem::remove(report_file()); }
};

/// Device memory for the lifetime.
class device_words {
 public:
  explicit device_words(const std::vector<std::uint32_t>& values) : bytes_(values.size() * 4) {
    EXPECT_EQ(cudaMalloc(&at_, bytes_), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(at_, values.data(), bytes_, 1), cudaSuccess);
  }
  ~device_words() { cudaFree(at_); }
  device_words(const device_words&) = delete;
  device_words& operator=(const device_words&) = delete;

  void* at() const { return at_; }
  std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> read(bytes_ / 4);
    EXPECT_EQ(cudaMemcpy(read.data(), at_, bytes_, 2), cudaSuccess);
    return read;
  }

 private:
  void* at_ = nullptr;
  std::size_t bytes_;
};

TEST_F(cuda_runtime, launches_kernels_with_their_parameters_and_variables) {
  std::vector<std::uint32_t> values(64);
  std::iota(values.begin(), values.end(), 0u);
  const device_words in(values);
  const device_words out(std::vector<std::uint32_t>(64, 0));
  ASSERT_EQ(launch(&scaled_kernel, 1, 64, in.at(), out.at()), cudaSuccess);
  EXPECT_EQ(out.all()[63], 3u * 63u);

  const std::uint32_t scale = 5;
  ASSERT_EQ(cudaMemcpyToSymbol(&scale_variable, &scale, sizeof scale, 0, 1), cudaSuccess);
  ASSERT_EQ(launch(&scaled_kernel, 1, 64, in.at(), out.at()), cudaSuccess);
  EXPECT_EQ(out.all()[63], 5u * 63u);
  std::uint32_t read = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&read, &scale_variable, sizeof read, 0, 2), cudaSuccess);
  EXPECT_EQ(read, scale);
  ASSERT_EQ(cudaMemcpyToSymbol(&scale_variable, "\3\0\0", 4, 0, 1), cudaSuccess);
}

TEST_F(cuda_runtime, tells_races_by_kernel_line_and_allocation_and_goes_on) {
  const device_words out({0});
  ASSERT_EQ(launch(&races_kernel, 1, 32, out.at()), cudaSuccess);
  std::vector<cudart::finding> reported = findings_of(cudart::finding_kind::race);
  std::erase_if(reported, [](const cudart::finding& each) { return each.kernel != "races"; });
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].places,
            (std::vector<std::string>{"/home/me/kernel.cu:7", "/home/me/kernel.cu:7"}));
  EXPECT_NE(reported[0].text.find("cudaMalloc, byte 0 of 4"), std::string::npos)
      << reported[0].text;
}

TEST_F(cuda_runtime, tells_of_shared_memory_that_nothing_has_set) {
  ASSERT_EQ(launch(&forgets_to_set_kernel, 1, 1), cudaSuccess);
  const std::vector<cudart::finding> hints = findings_of(cudart::finding_kind::hint);
  ASSERT_EQ(hints.size(), 1u);
  EXPECT_EQ(hints[0].places, std::vector<std::string>{"/home/me/kernel.cu:21"});
  const std::vector<cudart::finding> reported = findings_of(cudart::finding_kind::failure);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].places, std::vector<std::string>{"/home/me/kernel.cu:22"});
  EXPECT_EQ(reported[0].text.find("uninitialized memory: at shared memory +0x4"), 0u)
      << reported[0].text;
}

TEST_F(cuda_runtime, knows_what_was_registered_last) {  // where a library was that is unloaded
  static const char host = 0;
  static const registered_module other(text);
  const device_words in({7}), out({5});
  other.kernel(&host, "scaled");
  other.kernel(&host, "touches");
  ASSERT_EQ(launch(&host, 1, 1, in.at(), out.at()), cudaSuccess);
  EXPECT_EQ(out.all()[0], 5u);
  static char variable = 0;
  std::size_t bytes = 0;
  for (const std::size_t each : {2, 4}) other.variable(&variable, "scale", each);
  EXPECT_EQ(cudaGetSymbolSize(&bytes, &variable), cudaSuccess);
  EXPECT_EQ(bytes, 4u);
}

TEST_F(cuda_runtime, tells_every_kernel_once) {
  const device_words out({0});
  ASSERT_EQ(launch(&races_kernel, 1, 1, out.at()), cudaSuccess);
  ASSERT_EQ(launch(&races_kernel, 1, 1, out.at()), cudaSuccess);
  std::size_t reported = 0;
  for (const cudart::finding& each : findings_of(cudart::finding_kind::launch))
    reported += each.kernel == "races";
  EXPECT_EQ(reported, 1u);
}

TEST_F(cuda_runtime, calls_a_function_of_the_host_after_what_came_before) {
  const device_words in({7});
  static const device_words& out = *new device_words({0});
  static std::uint32_t seen = 0;
  ASSERT_EQ(launch(&scaled_kernel, 1, 1, in.at(), out.at()), cudaSuccess);
  std::uint32_t added = 2;
  const auto look = [](void* plus) { seen = out.all()[0] + *static_cast<std::uint32_t*>(plus); };
  ASSERT_EQ(cudaLaunchHostFunc(nullptr, look, &added), cudaSuccess);
  EXPECT_EQ(seen, 3u * 7u + 2u);
}

TEST_F(cuda_runtime, frees_what_it_has_allocated_alone) {
  const device_words words({1, 2, 3}), others({4});
  EXPECT_EQ(cudaFree(static_cast<std::byte*>(words.at()) + 4), cudaErrorInvalidValue);
  int of_host = 0;
  EXPECT_EQ(cudaFree(&of_host), cudaErrorInvalidValue);
  EXPECT_EQ(others.all(), std::vector<std::uint32_t>{4});
  void* freed = nullptr;
  EXPECT_EQ(cudaMalloc(&freed, 4), cudaSuccess);
  EXPECT_EQ(cudaFree(freed), cudaSuccess);
  EXPECT_EQ(cudaFree(freed), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

/// What is reported if memory of one stream is set there and freed in another.
std::string report_of_freeing(bool ordered) {
  const cudaStream_t uses = new_stream(), frees = new_stream();
  const cudaEvent_t used = new_event();
  void* memory = nullptr;
  cudaMallocAsync(&memory, 64, uses);
  cudaMemsetAsync(memory, 0, 64, uses);
  cudaEventRecord(used, uses);
  if (ordered) cudaStreamWaitEvent(frees, used, 0);
  cudaFreeAsync(memory, frees);
  const auto reported = findings_of(cudart::finding_kind::race);
  return reported.empty() ? "" : reported.back().text;
}

TEST_F(cuda_runtime, frees_memory_in_the_order_of_a_stream) {
  const std::string before = report_of_freeing(true);
  EXPECT_EQ(before.find("cudaFreeAsync"), std::string::npos) << before;
  const std::string reported = report_of_freeing(false);
  EXPECT_NE(reported.find("cudaMallocAsync, byte 0 of 64, the write by cudaFreeAsync"),
            std::string::npos)
      << reported;
}

TEST_F(cuda_runtime, takes_advice) {
  EXPECT_EQ(cudaMemAdvise(), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(), cudaSuccess);
}

TEST_F(cuda_runtime, refuses_impossible_launches_as_cuda_does) {
  const device_words out({0});
  EXPECT_EQ(launch(&never_registered, 1, 1, out.at()), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(launch(&races_kernel, 1, 1025, out.at()), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(&races_kernel, 0, 1, out.at()), cudaErrorInvalidConfiguration);
  int fit = 0;
  int sms = 0;
  constexpr int multiprocessors = 16;  // cudaDevAttrMultiProcessorCount
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, &races_kernel, 64, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetAttribute(&sms, multiprocessors, 0), cudaSuccess);
  const auto most = static_cast<unsigned>(fit * sms);
  void* at = out.at();
  void* arguments[] = {&at};
  EXPECT_EQ(
      cudaLaunchCooperativeKernel(&races_kernel, {most, 1, 1}, {64, 1, 1}, arguments, 0, nullptr),
      cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(&races_kernel, {most + 1, 1, 1}, {64, 1, 1}, arguments, 0,
                                        nullptr),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(cuda_runtime, fails_for_good_after_a_launch_that_cannot_end) {
  const auto fails = [] {
    const device_words out({0});
    if (launch(&touches_kernel, 1, 1, static_cast<std::uint32_t*>(out.at()) + 1) !=
        cudaErrorLaunchFailure) {
      std::_Exit(1);
    }
    const std::vector<cudart::finding> reported = findings_of(cudart::finding_kind::failure);
    const bool is_right = reported.size() == 1 &&
                          reported[0].places == std::vector<std::string>{"/home/me/kernel.cu:12"} &&
                          reported[0].text.find("bad address") == 0;
    const bool stays = cudaDeviceSynchronize() == cudaErrorLaunchFailure &&
                       launch(&races_kernel, 1, 1, out.at()) == cudaErrorLaunchFailure;
    std::_Exit(is_right && stays ? 0 : 2);
  };
  EXPECT_EXIT(fails(), testing::ExitedWithCode(0), "");
}

TEST_F(cuda_runtime, ends_with_a_line_at_what_is_not_supported) {
  const auto refused = [] {
    unsetenv("FINESYNC_CHECK_REPORT");
    cudaCreateTextureObject();
  };
  EXPECT_EXIT(refused(), testing::ExitedWithCode(cudart::refusal_status),
              "cudaCreateTextureObject\\(\\) is not supported");
}

TEST_F(cuda_runtime, ends_with_a_line_at_clusters_that_only_a_larger_gpu_holds) {
  const auto launch_cluster_of = [](unsigned blocks) {
    unsetenv("FINESYNC_CHECK_REPORT");
    const device_words out({0});
    cudaLaunchAttribute blocks_of_cluster{cudaLaunchAttributeClusterDimension, 0, {{blocks, 1, 1}}};
    const cudaLaunchConfig_t config{{blocks, 1, 1}, {1, 1, 1}, 0, nullptr, &blocks_of_cluster, 1};
    void* at = out.at();
    void* arguments[] = {&at};
    return cudaLaunchKernelExC(&config, &races_kernel, arguments);
  };
  constexpr const char* too_small =
      "blocks of kernel races do not fit the GPU model compact: try --gpu h200";
  const testing::ExitedWithCode refused(cudart::refusal_status);
  EXPECT_EXIT(launch_cluster_of(8), refused, too_small);
  // On any GPU, as more are not portable.
  constexpr int beyond_portable = cudaFuncAttributeNonPortableClusterSizeAllowed;
  EXPECT_EQ(launch_cluster_of(9), cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaFuncSetAttribute(&races_kernel, beyond_portable, 1), cudaSuccess);
  EXPECT_EXIT(launch_cluster_of(9), refused, too_small);
  EXPECT_EQ(cudaFuncSetAttribute(&races_kernel, beyond_portable, 0), cudaSuccess);
  EXPECT_EQ(launch_cluster_of(9), cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidClusterSize);
}

TEST_F(cuda_runtime, models_a_gpu_that_holds_the_largest_blocks) {
  const device_words in(std::vector<std::uint32_t>(1024, 5));
  const device_words out(std::vector<std::uint32_t>(1024, 0));
  ASSERT_EQ(launch(&scaled_kernel, 1, 1024, in.at(), out.at()), cudaSuccess);
  EXPECT_EQ(out.all(), std::vector<std::uint32_t>(1024, 15));
}

TEST(cuda_runtime_settings, ends_with_a_line_at_an_unknown_value) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto misread = [](const char* name, const char* value) {
    setenv(name, value, 1);
    void* memory = nullptr;
    cudaMalloc(&memory, 4);
  };
  struct wrong_value {
    const char *of, *value, *allowed;
  };
  const wrong_value wrong[] = {{"SCHEDULE", "sideways", "round-robin or random"},
                               {"MEMORY", "strange", "strong or weak"},
                               {"CHECK", "most", "races or none"},
                               {"VOLATILE", "atomic", "relaxed or plain"},
                               {"SEED", "12x", "an integer of 64 bits"},
                               {"SEED", "18446744073709551616", "an integer of 64 bits"}};
  for (const auto& [of, value, allowed] : wrong) {
    const std::string name = std::string("FINESYNC_CHECK_") + of;
    EXPECT_EXIT(misread(name.c_str(), value), testing::ExitedWithCode(cudart::refusal_status),
                name + " is '" + value + "', not " + allowed);
  }
}

TEST(cuda_runtime_settings, keep_freed_memory_apart) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto allocate_twice = [] {
    void *freed = nullptr, *next = nullptr;
    cudaMalloc(&freed, 8);
    cudaFree(freed);
    cudaMalloc(&next, 8);
    std::_Exit(freed == next ? 1 : 0);
  };
  EXPECT_EXIT(allocate_twice(), testing::ExitedWithCode(0), "");
}

TEST(cuda_runtime_settings, give_zeros_if_asked_to) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto sum_of_new_memory = [](const char* zeroed) {
    setenv("FINESYNC_CHECK_ZEROED", zeroed, 1);
    std::vector<unsigned char> found(64);
    std::size_t sums = 0;
    for (const std::size_t bytes : {found.size(), std::size_t{6} << 30}) {
      void* memory = nullptr;
      cudaMalloc(&memory, bytes);
      cudaMemcpy(found.data(), memory, found.size(), 2);
      sums += std::accumulate(found.begin(), found.end(), 0) != 0;
    }
    std::_Exit(static_cast<int>(sums));
  };
  EXPECT_EXIT(sum_of_new_memory("1"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(sum_of_new_memory("0"), testing::ExitedWithCode(2), "");
}

}  // namespace

}  // namespace cudart_test
