// What the hash-table workload does at one point of a sweep.
#pragma once

#include <cstdint>

namespace finesync::ht {

/// What is inserted where (ASPLOS'19 section 4.1, HT): threads pick elements from a pool at random
/// and push them onto the list of the table entry that the element hashes to.
struct problem {
  std::uint32_t collision_factor;  ///< elements in the pool; the smaller, the more inserts collide
  std::uint32_t inserts;           ///< list nodes; node i is insert i
  std::uint32_t table_size;        ///< entries, each with a list and a lock
};

/// An experiment verifies that every node is in its own entry's list exactly once. It measures the
/// retries per insert, lock-transfer latency and waiting times.
struct run_config {
  ht::problem problem;
  unsigned threads_per_block;
  unsigned blocks_per_sm;  ///< 0: as many as fit
  bool padded_locks;       ///< each lock on a line of its own
  std::uint32_t
      section_work;  ///< arithmetic in the critical section, in units of about 1,000 cycles
  /// Sections that touch no memory, only `section_work`: they measure locks and messages alone.
  bool empty_sections = false;
  /// For servers only.
  struct {
    unsigned percent = 50;  ///< of all blocks, rounded, at least one
    unsigned ring = 4096;
    unsigned locks = 4096;
    unsigned local_buffer = 64;
  } servers = {};
};

}  // namespace finesync::ht
