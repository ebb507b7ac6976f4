// SPDX-License-Identifier: Apache-2.0
// Device operations on memory: each is counted, checked and performed, and then others run.
#pragma once

#include <simt/arena.hpp>
#include <simt/memory/async_copies.hpp>
#include <simt/memory/running_launch.hpp>
#include <simt/memory/unset_reads.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simt {

class memory_accesses {
  running_launch& launch_;

 public:
  explicit memory_accesses(running_launch& launch) : launch_(launch) {}

  word perform(const operation& op, const void* site);

  // Parts of an operation.
  /// The space of the operation's address; ends the launch if it has none.
  space checked_space(const operation& op, const void* site);
  word access(const operation& op, space where, const void* site);

  /// The address in the shared memory of the cluster's block `rank` that corresponds to `own`: the
  /// one that `mapa` computes. Each access checks it.
  void* in_block(void* own, std::uint32_t rank);

  /// For reports: the word counts arrivals, and a phase ends after that many.
  void note_arrival_counter(const void* word, std::uint32_t arrivals_per_phase) {
    arrival_counters_[word] = arrivals_per_phase;
  }
  /// All threads of the block have ended.
  void retire(const block_state& block);

  /// "buffer 1 + 0x80 (element 32)", or an offset in shared memory.
  std::string place_of(const void* address) const;
  /// A bad or misaligned address, or a copy that an access has met.
  void explain(const failure& what, fault& to) const;
  /// The addresses that live threads read last: how many poll each, where, the value found, and the
  /// last writer.
  void add_polls(fault& to) const;

  async_copies copies;
  unset_reads unset{launch_};

 private:
  void note_shared(const thread& self, const operation& op, bool wrote, const void* site);
  void note_access(thread& self, const operation& op, const effect& done, space where,
                   const void* site);
  std::string surroundings_of(const void* address, const thread& by) const;
  bool has_told_wait(const thread& t) const;
  std::string held_text(const thread& t, const void* address) const;
  std::string writer_of(const void* address) const;

  /// The last writer of an address, unless another address has displaced it.
  struct last_write {
    const void* address = nullptr;
    std::uint32_t block = 0;
    std::uint32_t thread = 0;
    const void* site = nullptr;
    bool is_store = false;              ///< or an exchange
    const void* overwritten = nullptr;  ///< by it: the site of another's write; or null
  };
  std::string missing_for(const last_write& write, const thread& waiter) const;
  static constexpr std::size_t remembered_writes = 1 << 14;

  arena& global_ = global_memory();
  std::vector<last_write> last_writes_{remembered_writes};
  std::map<const void*, std::uint32_t> arrival_counters_;  ///< arrivals per phase
};

}  // namespace simt
