// The hash-table workload as the program sees it: plain C++, one implementation per primitive, each
// compiled in a file of its own.
#pragma once

#include <workloads/contest/trial.hpp>

#include <cstdint>
#include <memory>

namespace finesync::hash_table {

using contest::outcome;
using contest::trial;

/// What is inserted where (ASPLOS'19 section 4.1, HT): threads pick elements from a pool at random
/// and push them onto the list of the table entry that the element hashes to.
struct problem {
  std::uint32_t collision_factor;  ///< elements in the pool; the smaller, the more inserts collide
  std::uint32_t inserts;           ///< list nodes; node i is insert i
  std::uint32_t table_size;        ///< entries, each with a list and a lock
};

struct setup {
  problem what;
  unsigned threads_per_block;
  unsigned blocks_per_sm;  ///< 0: as many as fit
  bool padded_locks;       ///< each lock on a line of its own
  std::uint32_t extra;     ///< arithmetic in the critical section, in units of about 1,000 cycles
  /// Sections that touch no memory, only `extra`: they measure locks and messages alone.
  bool empty_sections = false;
  /// For servers only.
  struct {
    unsigned percent = 50;  ///< of all blocks, rounded, at least one
    unsigned ring = 4096;
    unsigned locks = 4096;
    unsigned local_buffer = 64;
  } servers = {};
};

/// Makes the trial of a primitive. Its check() sees that every node is in its own entry's list
/// exactly once. watch() tells the retries per insert, lock-transfer latency and waiting times; for
/// servers also how many there were.
///
/// \throws launch_error when the grid cannot be co-resident, another std::invalid_argument where
/// the primitive cannot exist on this machine, std::bad_alloc when device memory is used up.
using make_trial = std::unique_ptr<trial>(const setup& how);

make_trial make_spin, make_ordered_spin, make_backoff, make_ticket, make_ring, make_array, make_mcs,
    make_combining, make_carrying, make_libcudacxx, make_lockfree, make_server_basic,
    make_server_paper, make_server_fast;

}  // namespace finesync::hash_table
