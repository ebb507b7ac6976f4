// The common part of the executor's tests: settings in one call, runs over many seeds, and hangs.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/error.cuh>
#include <finesync/host/launch.cuh>
#include <simt/fault.hpp>
#include <simt/launch.hpp>
#include <simt/settings.hpp>

#include <gtest/gtest.h>
#include <tests/on_gpu.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace simt_test {

using namespace finesync;

using cell32 = cell<std::uint32_t>;
using cell64 = cell<std::uint64_t>;
using device_ref = atomic_ref<std::uint32_t, scope::device>;
using block_ref = atomic_ref<std::uint32_t, scope::block>;

inline constexpr unsigned full_warp = 0xffffffff;

/// Words at this distance share neither a cache sector nor a line.
inline constexpr unsigned far = line_bytes / sizeof(std::uint32_t);

inline simt::settings scheduled(simt::schedule_kind schedule, std::uint64_t seed = 1) {
  simt::settings s;
  s.schedule = schedule;
  s.seed = seed;
  return s;
}

inline simt::settings round_robin() {
  return scheduled(simt::schedule_kind::round_robin);
}

using test::on_gpu;

inline buffer<std::uint32_t> zeroed_words(std::size_t count) {
  return buffer<std::uint32_t>::zeroed(count);
}

inline constexpr bool independent = true;

/// Launches kernel(words..., others...) with one buffer of zeros for each of the sizes, and returns
/// the words after its end.
template <bool IsIndependent = false, class Kernel, std::size_t Buffers, class... Others>
std::array<std::vector<std::uint32_t>, Buffers> words_after(Kernel kernel,
                                                            const launch_shape& shape,
                                                            const std::size_t (&sizes)[Buffers],
                                                            Others... others) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const buffer<std::uint32_t> words[] = {zeroed_words(sizes[I])...};
    if constexpr (IsIndependent) {
      launch_independent(kernel, shape, words[I].device_data()..., others...);
    } else {
      launch_cooperative(kernel, shape, words[I].device_data()..., others...);
    }
    return std::array{words[I].to_host()...};
  }
  (std::make_index_sequence<Buffers>());
}

/// Number of random schedules 1 .. `seeds` on which the experiment fails.
template <class Experiment>
unsigned wrong_seeds(unsigned seeds, simt::memory_kind memory, Experiment goes_wrong) {
  unsigned wrong = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed, memory));
    if (goes_wrong()) ++wrong;
  }
  return wrong;
}

/// The end of a launch.
struct ending {
  bool stuck = false;
  bool deadlock = false;
  std::string report;
};

template <class Launch>
ending ending_of(Launch launch) {
  try {
    launch();
    return {};
  } catch (const hang_error& problem) {
    return {true, problem.deadlock(), problem.what()};
  }
}

/// The same of words_after().
template <class Kernel, std::size_t Buffers, class... Others>
ending ending_of(Kernel kernel, const launch_shape& shape, const std::size_t (&sizes)[Buffers],
                 Others... others) {
  return ending_of([&] { words_after(kernel, shape, sizes, others...); });
}

/// The same of a kernel without buffers of its own.
template <class... Parameters, class... Arguments>
ending ending_of(void (*kernel)(Parameters...), const launch_shape& shape, Arguments... arguments) {
  return ending_of([&] { launch_cooperative(kernel, shape, arguments...); });
}

inline void sound_kernel(cell32* sum) {
  __syncthreads();
  device_ref(*sum).fetch_add(__shfl_sync(full_warp, threadIdx.x + 0u, 1), memory_order::relaxed);
  __syncthreads();
}

/// Expects that the launch failed for this reason, that its report has these words, and that the
/// next launch is unharmed.
inline void expect_stuck(const ending& end, simt::fault_kind kind,
                         std::initializer_list<std::string> words) {
  ASSERT_TRUE(end.stuck) << "the launch came to its end";
  EXPECT_EQ(end.report.find(std::string(simt::to_string(kind)) + ": "), 0u) << end.report;
  EXPECT_EQ(end.deadlock, kind == simt::fault_kind::deadlock) << end.report;
  for (const std::string& word : words) {
    EXPECT_NE(end.report.find(word), std::string::npos)
        << "no \"" << word << "\" in: " << end.report;
  }
  EXPECT_EQ(words_after(sound_kernel, {.blocks = 2, .threads_per_block = 64}, {1})[0][0],
            2 * 32 * (1u + 33u));
}

/// In a separate process, for code that could end the process.
inline void expect_in_own_process(bool (*holds)()) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(holds() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace simt_test
