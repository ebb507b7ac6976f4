// What a cooperative launch waits for: a kernel that holds four blocks' room for 30 ms; then, in a
// second stream, a cooperative launch that fills the GPU but for as many blocks as the first word
// says; then, in a third, a single block. Prints when each began. See
// docs/library/persistent_kernels.md; the tests compile it for both machines and run it.
#include <finesync/device/clock.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

using namespace finesync;

namespace {

constexpr int threads = 512;  // four blocks, or three, fill an SM
constexpr unsigned held = 4;

/// Each block writes when it began, and stays for `ns`.
__global__ void stay(std::uint64_t ns, cell<std::uint64_t>* began) {
  if (threadIdx.x == 0) {
    const std::uint64_t now = global_time_ns();
    began[blockIdx.x] = now;
    while (global_time_ns() - now < ns) sleep_ns(1000);
  }
  __syncthreads();
}

/// When the blocks of a kernel began, first and last.
struct times {
  std::uint64_t first;
  std::uint64_t last;

  explicit times(const std::vector<std::uint64_t>& began)
      : first(*std::min_element(began.begin(), began.end())),
        last(*std::max_element(began.begin(), began.end())) {}
};

void print(const char* kernel, const times& own, const times& holder) {
  const auto ms = [&](std::uint64_t time) {
    return static_cast<double>(static_cast<std::int64_t>(time - holder.first)) / 1e6;
  };
  std::printf("%s: the first block began at %.2f ms, the last at %.2f ms\n", kernel, ms(own.first),
              ms(own.last));
}

}  // namespace

int main(int count, char** words) {
  const unsigned left = count > 1 ? static_cast<unsigned>(std::atoi(words[1])) : 0;
  const gpu_properties gpu = current_gpu();
  const unsigned all = static_cast<unsigned>(gpu.sms * (gpu.max_threads_per_sm / threads));
  const buffer<std::uint64_t> of_holder(held);
  const buffer<std::uint64_t> of_grid(all - left);
  const buffer<std::uint64_t> of_single(1);
  const owned_stream streams[3];
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); };

  launch_independent(streams[0], stay, {.blocks = held, .threads_per_block = threads}, 30'000'000,
                     of_holder.device_data());
  wait();
  launch_cooperative(streams[1], stay, {.blocks = all - left, .threads_per_block = threads}, 0,
                     of_grid.device_data());
  wait();
  launch_independent(streams[2], stay, {.blocks = 1, .threads_per_block = threads}, 0,
                     of_single.device_data());
  for (const owned_stream& each : streams) each.synchronize();

  const times holder(of_holder.to_host());
  print("cooperative launch", times(of_grid.to_host()), holder);
  print("the single block", times(of_single.to_host()), holder);
  std::printf("all %u blocks ran\n", held + all - left + 1);
  return 0;
}
