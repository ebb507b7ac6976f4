// A launch that CUDA refuses, and whose error the program does not look at, is reported at its end.
#include <gtest/gtest.h>
#include <tests/executor/cudart/runtime.hpp>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace cudart_test::refused_launches_test {

namespace {

constexpr std::string_view text = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry quiet() { ret; }
)";

const char quiet_kernel = 0;
const char never_registered = 0;

struct refused_launch {
  cudaError_t error;
  dim3 blocks, threads;
  std::size_t shared_bytes;
  std::string why;
};
/// A program that ends after such a launch, and after more.
void end_after(const refused_launch& what, bool in_brackets, const std::function<void()>& more) {
  unsetenv("FINESYNC_CHECK_REPORT");
  refused_launch given = what;
  cudaStream_t stream = nullptr;
  __cudaPushCallConfiguration(what.blocks, what.threads, what.shared_bytes, nullptr);
  if (in_brackets)
    __cudaPopCallConfiguration(&given.blocks, &given.threads, &given.shared_bytes, &stream);
  if (cudaLaunchKernel(&quiet_kernel, given.blocks, given.threads, nullptr, given.shared_bytes,
                       stream) != what.error)
    std::_Exit(1);
  more();
  std::exit(0);
}

TEST(refused_launches, are_reported_if_their_error_is_not_looked_at) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // the device is an OS thread
  const registered_module program(text);
  program.kernel(&quiet_kernel, "quiet");
  constexpr auto invalid = cudaErrorInvalidConfiguration;
  const refused_launch launches[] = {
      {invalid, {1, 1, 1}, {1500, 1, 1}, 0, "1500 threads per block, at most 1024"},
      {invalid, {1, 1, 1}, {1, 1, 65}, 0, "65 threads per block in z, at most 64"},
      {invalid, {1, 70000, 1}, {1, 1, 1}, 0, "70000 blocks in y, at most 65535"},
      {invalid, {1, 1, 65536}, {1, 1, 1}, 0, "65536 blocks in z, at most 65535"},
      {invalid, {1u << 31, 1, 1}, {1, 1, 1}, 0, "2147483648 blocks in x"},
      {invalid, {1, 0, 1}, {1, 1, 1}, 0, "a grid without a thread"},
      {cudaErrorInvalidValue, {1, 1, 1}, {1, 1, 1}, 60000, "60000 bytes of dynamic shared mem"}};
  const auto nothing = [] {};
  const auto look = [] { std::thread(cudaGetLastError).join(); };
  const auto peek = [] { std::thread(cudaPeekAtLastError).join(); };
  const auto again = [](unsigned blocks, unsigned threads, std::size_t shared_bytes) {
    return [=] {
      cudaFuncSetAttribute(&quiet_kernel, 8, 60000);
      cudaLaunchCooperativeKernel(&quiet_kernel, {blocks, 1, 1}, {threads, 1, 1}, nullptr,
                                  shared_bytes, nullptr);
    };
  };
  const auto unknown = [] { launch(&never_registered, 1, 1); };
  const auto ends = testing::ExitedWithCode(0);
  for (const refused_launch& each : launches)
    EXPECT_EXIT(end_after(each, true, nothing), ends,
                "kernel quiet.* never ran: " + each.why + ".*; the program did not look");
  EXPECT_EXIT(end_after(launches[0], false, nothing), ends, "did not call cudaGetLastError");
  EXPECT_EXIT(end_after(launches[0], true, again(1, 1, 60000)), ends, "did not look");
  EXPECT_EXIT(end_after(launches[0], false, again(1, 1, 60000)), ends, "^$");
  EXPECT_EXIT(end_after(launches[0], false, again(132, 1024, 0)), ends,
              "132 blocks of a cooperative launch, at most 4 on the GPU model compact");
  EXPECT_EXIT(end_after(launches[0], false, unknown), ends, "a kernel .*no such kernel");
  EXPECT_EXIT(end_after(launches[0], true, look), ends, "^$");
  EXPECT_EXIT(end_after(launches[0], true, peek), ends, "^$");
}

}  // namespace

}  // namespace cudart_test::refused_launches_test
