// SPDX-License-Identifier: Apache-2.0
// The start and the end of async threads, and the waits for them: see simt/async_threads.hpp.
#pragma once

#include <simt/async_threads.hpp>
#include <simt/memory/memory_accesses.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace simt {

class async_threads {
 public:
  /// \param main what an async thread begins with.
  async_threads(running_launch& launch, void (*main)(fiber_transfer));

  void start(async_work given, const void* site);
  void perform_body() { of(*current).body(); }
  void end_reads();
  void finish_current();
  void wait(const void* batch, async_part part);
  /// All threads of the cluster have ended.
  void forget(const cluster_state& cluster);

  /// A copy to or from the shared memory of a block that has ended meanwhile.
  void explain(const failure& what, const memory_accesses& memory, fault& to) const;

 private:
  struct async_batch {
    std::uint32_t reading = 0;
    std::uint32_t running = 0;
    std::unique_ptr<release_clock> read;  ///< by those that have read
    std::unique_ptr<release_clock> done;  ///< by those that have ended
  };
  struct async_state {
    std::function<void()> body;
    async_batch* batch = nullptr;
    const async_wait* wait = nullptr;
  };
  std::uint32_t slot_of(const thread& t) const { return t.number - launch_.resident.first_async; }
  async_state& of(const thread& t) { return all_[slot_of(t)]; }
  void wake_starter(const thread& self);

  running_launch& launch_;
  void (*main_)(fiber_transfer);
  std::array<async_state, async_slots> all_;
  std::deque<std::uint32_t> free_;                ///< the one that has ended first comes first
  std::map<std::uint32_t, async_work> starting_;  ///< by starter: it may be given up meanwhile
  std::map<std::pair<std::uint32_t, const void*>, async_batch> batches_;  ///< by starter and name
};

}  // namespace simt
