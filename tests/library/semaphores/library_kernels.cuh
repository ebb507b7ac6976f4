// Readers and writers in a library: the smallest sections that reveal a broken semaphore.
//
// A writer writes a book's two pages; a reader must find the same edition on both. Readers sign the
// visitors' book by plain accesses, each on its own line. A writer, which is alone, must find the
// signatures of all readers that were inside before. So exits must be ordered before later entries.
// Runs on either machine.
#pragma once

#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/semaphores/semaphore.cuh>

#include <cstdint>

namespace finesync::test {

struct library {
  unsigned blocks = 4;
  unsigned threads_per_block = 4;  ///< the first of them writes
  unsigned size = 3;
  unsigned rounds = 3;
  bool counted =
      true;  ///< count threads inside; the atomics may hide what only bare sections reveal
  bool alone = false;  ///< each thread is a block, so it may poll in a row
  std::uint64_t watchdog_ns = 1'000'000'000;
};

/// Words of the library, each on its own cache line; then the signatures, one word per thread.
enum desk {
  front_page,
  back_page,
  inside,
  visits,
  overfull,
  torn,
  unsigned_visits,
  finished,
  desks
};
inline constexpr unsigned line = line_bytes / sizeof(std::uint32_t);

/// \param visitors one writer, and the readers that come with it.
template <other_lanes Others, class Semaphore>
__device__ void visit(const Semaphore& semaphore, cell<std::uint32_t>* words, unsigned size,
                      unsigned visitors, unsigned rounds, bool counted,
                      const watchdog_ref& watchdog) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  const bool writes = me % visitors == 0;
  const unsigned permits = writes ? size : 1;
  cell<std::uint32_t>* signatures = words + desks * line;
  const auto plain = [&](desk which) -> cell<std::uint32_t>& { return words[which * line]; };
  const auto add = [&](desk which, std::uint32_t amount) {
    return word(words[which * line]).fetch_add(amount, memory_order::relaxed);
  };
  const auto section = [&] {
    if (counted && add(inside, permits) + permits > size) add(overfull, 1);
    const std::uint32_t edition = plain(front_page);
    if (edition != plain(back_page)) add(torn, 1);
    if (writes) {
      std::uint32_t signed_for = 0;
      for (unsigned i = 0; i < gridDim.x * blockDim.x; ++i) signed_for += signatures[i];
      if (signed_for != add(visits, 0)) add(unsigned_visits, 1);
      plain(front_page) = edition + 1;
      plain(back_page) = edition + 1;
    } else {
      signatures[me] = signatures[me] + 1;
      add(visits, 1);
    }
    if (counted) add(inside, 0 - permits);
  };
  for (unsigned i = 0; i < rounds; ++i)
    if (!run_with_permits<Others>(semaphore, permits, section, watchdog)) return;
  add(finished, 1);
}

template <other_lanes Others, class Semaphore>
__global__ void use(Semaphore semaphore, cell<std::uint32_t>* words, unsigned size,
                    unsigned visitors, unsigned rounds, bool counted, watchdog_ref watchdog) {
  visit<Others>(semaphore, words, size, visitors, rounds, counted, watchdog);
}

/// How a day in the library went.
struct visits_seen {
  bool all_left;   ///< before the watchdog ended it
  bool excluding;  ///< no more inside than permits, no torn read, no lost write, all signatures
};

/// Runs the library once. \param open launches the kernel with its words and a watchdog.
template <class Open>
visits_seen open_library_by(Open open, const library& plan) {
  const unsigned threads = plan.blocks * plan.threads_per_block;
  auto words = buffer<std::uint32_t>::zeroed(desks * line + threads);
  watchdog timeout(plan.watchdog_ns);
  open(words.device_data(), timeout.ref());
  stream().synchronize();
  const auto found = words.to_host();
  const auto at = [&](desk which) { return found[which * line]; };
  const std::uint32_t editions = plan.blocks * plan.rounds;
  const bool all_left = !timeout.fired() && at(finished) == threads;
  const bool all_there = at(front_page) == editions && at(back_page) == editions;
  return {all_left, at(overfull) == 0 && at(torn) == 0 && at(unsigned_visits) == 0 &&
                        (all_there || !all_left)};
}

/// The same under `semaphore`.
template <class Semaphore>
visits_seen open_library(Semaphore& semaphore, const library& plan) {
  const auto by = [&](cell<std::uint32_t>* words, const watchdog_ref& watchdog) {
    const auto open = [&](auto* kernel, const launch_shape& shape) {
      launch_cooperative(kernel, shape, semaphore.ref(), words, plan.size, plan.threads_per_block,
                         plan.rounds, plan.counted, watchdog);
    };
    if (plan.alone)
      open(use<other_lanes::idle, decltype(semaphore.ref())>,
           {plan.blocks * plan.threads_per_block, 1});
    else
      open(use<other_lanes::competing, decltype(semaphore.ref())>,
           {plan.blocks, plan.threads_per_block});
  };
  return open_library_by(by, plan);
}

/// \returns true if all entered and left correctly.
template <class Semaphore>
bool serves_all(Semaphore& semaphore, const library& plan) {
  const visits_seen seen = open_library(semaphore, plan);
  return seen.all_left && seen.excluding;
}

/// The same with a semaphore of the plan's size.
template <class Semaphore>
bool serves_all(const library& plan) {
  Semaphore semaphore(plan.size);
  return serves_all(semaphore, plan);
}

}  // namespace finesync::test
