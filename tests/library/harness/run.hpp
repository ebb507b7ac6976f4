// One run of a kernel, on either machine: words that it writes, its launch, and what it left.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/error.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <tests/refusal.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace finesync::test {

/// Words of device memory, all 0.
inline buffer<std::uint32_t> zeroed(std::size_t count, const stream& on = {}) {
  return buffer<std::uint32_t>::zeroed(count, on);
}

/// Words of device memory with these values.
inline buffer<std::uint32_t> filled_with(const std::vector<std::uint32_t>& values) {
  buffer<std::uint32_t> words(values.size());
  words.copy_from(values);
  return words;
}

/// Waits for the kernel that writes them.
inline std::uint32_t first_of(const buffer<std::uint32_t>& words) {
  return words.to_host()[0];
}
inline std::uint32_t sum_of(const buffer<std::uint32_t>& words) {
  const auto values = words.to_host();
  return std::accumulate(values.begin(), values.end(), 0u);
}
inline std::size_t count_of(const buffer<std::uint32_t>& words, std::uint32_t value) {
  const auto values = words.to_host();
  return static_cast<std::size_t>(std::count(values.begin(), values.end(), value));
}
inline std::uint32_t largest_of(const buffer<std::uint32_t>& words) {
  const auto values = words.to_host();
  return *std::max_element(values.begin(), values.end());
}
inline bool all_are(const buffer<std::uint32_t>& words, std::uint32_t value) {
  return count_of(words, value) == words.size();
}

/// What a kernel gets for an argument: memory for a buffer, the ref for another owner.
template <class Argument>
decltype(auto) kernel_argument(const Argument& argument) {
  if constexpr (requires { argument.device_data(); })
    return argument.device_data();
  else if constexpr (requires { argument.ref(); })
    return argument.ref();
  else
    return argument;
}

/// Launches a kernel whose last parameter is a watchdog, and waits for its end. \param arguments
/// buffers and owners, for which the kernel gets their memory and their refs, and values.
/// \returns whether the watchdog ended no wait.
template <class... Parameters, class... Arguments>
bool ends(const watchdog& timeout, void (*kernel)(Parameters...), const launch_shape& shape,
          const Arguments&... arguments) {
  launch_cooperative(kernel, shape, kernel_argument(arguments)..., timeout.ref());
  return !timeout.fired();
}

/// The same with a watchdog of the machine's own limit.
template <class... Parameters, class... Arguments>
bool ends(void (*kernel)(Parameters...), const launch_shape& shape, const Arguments&... arguments) {
  return ends(watchdog(), kernel, shape, arguments...);
}

/// A limit that ends a wait before the executor itself reports a livelock.
inline constexpr std::uint64_t soon_ns = 1'000'000;

/// Whether a wait of this kernel is ended, by a watchdog with a short limit or by the executor,
/// which takes threads that poll for ever for a livelock.
template <class... Parameters, class... Arguments>
bool is_given_up(void (*kernel)(Parameters...), const launch_shape& shape,
                 const Arguments&... arguments) {
  try {
    return !ends(watchdog(soon_ns), kernel, shape, arguments...);
  } catch (const hang_error& report) {
    return std::string(report.what()).find("livelock") != std::string::npos;
  }
}

/// Changes memory until the watchdog has ended some thread's wait and all others have had time to
/// notice, as otherwise the executor reports a livelock before.
inline __device__ void outlast(const watchdog_ref& watchdog, cell<std::uint32_t>& beats,
                               unsigned turns = 1 << 14) {
  for (unsigned left = turns; left > 0; left -= watchdog.has_fired())
    atomic_ref<std::uint32_t, scope::device>(beats).fetch_add(1, memory_order::relaxed);
}

/// Adds one to a word that other threads add to.
inline __device__ void add_one(cell<std::uint32_t>& word) {
  atomic_ref<std::uint32_t, scope::device>(word).fetch_add(1, memory_order::relaxed);
}

/// The executor's report of a hang or of a race in a launch, or nothing.
template <class Launch>
std::string complaint_about_launch(const Launch& launch) {
  try {
    launch();
  } catch (const hang_error& problem) {
    return problem.what();
  } catch (const race_error& problem) {
    return problem.what();
  }
  return "";
}

/// The same, or that the watchdog has ended a wait.
template <class Launch>
std::string complaint_about_launch(const watchdog& timeout, const Launch& launch) {
  const std::string complaint = complaint_about_launch(launch);
  return complaint.empty() && timeout.fired() ? "the watchdog fired" : complaint;
}

}  // namespace finesync::test
