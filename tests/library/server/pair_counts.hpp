// Numbered sections over two data, and whether each ran once and alone with both, for any pool of
// servers.
#pragma once

#include <inputs/random.cuh>

#include <tests/library/harness/run.hpp>

namespace finesync::test {

/// A datum counts the sections with it as their first in its lower half, the others above.
struct pair_counts {
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

/// The same with handles: an in_place_service.
struct pair_counts_in_place {
  using argument = std::uint32_t;
  using datum = cell<std::uint32_t>*;

  cell<std::uint32_t>* data;
  cell<std::uint32_t>* runs;

  __device__ datum home(std::uint32_t key) const { return data + key; }
  __device__ void operator()(datum& first, datum& second, std::uint32_t number) const {
    const std::uint32_t firsts = *first;
    const std::uint32_t seconds = *second;
    *first = firsts + 1;
    *second = seconds + (1u << 16);
    atomic_ref<std::uint32_t, scope::device>(runs[number]).fetch_add(1, memory_order::relaxed);
  }
};

/// The clients: each thread sends sections over two keys at random.
struct pair_clients {
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

/// Runs them once, under the current settings. \tparam Ledger the pool's service. \param threads of
/// the clients. \returns the error, or nothing.
template <class Ledger = pair_counts, class Pool>
std::string complaint_of_a_run(Pool& pool, unsigned threads, const pair_clients& clients,
                               std::uint64_t longest_wait_ns = 20'000'000) {
  const std::uint32_t sections = threads * clients.sections_each;
  auto data = zeroed(clients.keys);
  auto runs = zeroed(sections);
  const watchdog timeout(longest_wait_ns);
  const std::string complaint = complaint_about_launch(timeout, [&] {
    pool.launch(Ledger{data.device_data(), runs.device_data()}, clients, timeout.ref());
  });
  if (!complaint.empty()) return complaint;
  const auto times = runs.to_host();
  if (std::any_of(times.begin(), times.end(), [](std::uint32_t n) { return n != 1; }))
    return "a section ran never, or twice";
  std::vector<std::uint32_t> expected(clients.keys);
  for (std::uint32_t number = 0; number < sections; ++number) {
    expected[clients.first_of(number)] += 1;
    expected[clients.second_of(number)] += 1u << 16;
  }
  return data.to_host() == expected ? "" : "a section's work was lost";
}

}  // namespace finesync::test
