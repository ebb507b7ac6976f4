// Numbered sections over two data, and whether each ran once and alone with both, for any pool of
// servers.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/error.cuh>
#include <finesync/host/watchdog.cuh>
#include <inputs/random.cuh>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace finesync::test {

/// A datum counts the sections with it as their first in its lower half, the others above.
struct ledger {
  using argument = std::uint32_t;  // the number of the section
  using datum = std::uint32_t;

  cell<std::uint32_t>* data;
  cell<std::uint32_t>* runs;

  __device__ cell<std::uint32_t>& home(std::uint32_t key) const { return data[key]; }
  __device__ void operator()(std::uint32_t& first, std::uint32_t& second,
                             std::uint32_t number) const {
    first += 1;
    second += 1u << 16;
    atomic_ref<std::uint32_t, scope::device>(runs[number]).fetch_add(1, memory_order::relaxed);
  }
};

/// The clients: each thread sends sections over two keys at random.
struct bookkeepers {
  std::uint32_t keys;
  std::uint32_t sections_each;

  __host__ __device__ std::uint32_t first_of(std::uint32_t number) const {
    return inputs::random32(11, 0, number) % keys;
  }
  __host__ __device__ std::uint32_t second_of(std::uint32_t number) const {
    return (first_of(number) + 1 + inputs::random32(12, 0, number) % (keys - 1)) % keys;
  }
  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned /*threads*/) const {
    for (std::uint32_t i = 0; i < sections_each; ++i) {
      const std::uint32_t number = thread * sections_each + i;
      if (!out.send(first_of(number), second_of(number), number)) return false;
    }
    return true;
  }
};

/// Runs them once, under the current settings. \param threads of the clients. \returns the error,
/// or nothing.
template <class Pool>
std::string complaint_of_a_run(Pool& pool, unsigned threads, const bookkeepers& clients,
                               std::uint64_t longest_wait_ns = 20'000'000) {
  const std::uint32_t sections = threads * clients.sections_each;
  auto data = buffer<std::uint32_t>::zeroed(clients.keys);
  auto runs = buffer<std::uint32_t>::zeroed(sections);
  const watchdog timeout(longest_wait_ns);
  try {
    pool.launch(ledger{data.device_data(), runs.device_data()}, clients, timeout.ref());
  } catch (const hang_error& problem) {
    return problem.what();
  } catch (const race_error& problem) {
    return problem.what();
  }
  if (timeout.fired()) return "the watchdog fired";
  const auto times = runs.to_host();
  if (std::any_of(times.begin(), times.end(), [](std::uint32_t n) { return n != 1; }))
    return "a section ran never, or twice";
  std::uint32_t firsts = 0;
  std::uint32_t seconds = 0;
  for (const std::uint32_t datum : data.to_host()) {
    firsts += datum & 0xffff;
    seconds += datum >> 16;
  }
  if (firsts != sections || seconds != sections) return "a section's work was lost";
  return "";
}

}  // namespace finesync::test
