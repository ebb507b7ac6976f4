// The hash-table workload as the program sees it: plain C++, one implementation per primitive, each
// compiled in a file of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace finesync::hash_table {

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

/// How a run ended.
struct outcome {
  bool gave_up = false;  ///< the watchdog ended a wait: the table is incomplete
  bool correct = false;
  std::string detail = {};
};

/// Inserts by one primitive at one setup, again and again.
class inserter {
 public:
  inserter() = default;
  inserter(const inserter&) = delete;
  inserter& operator=(const inserter&) = delete;
  virtual ~inserter() = default;

  /// Empties the table and frees the locks.
  virtual void reset() = 0;

  /// Queues the kernel that makes all inserts.
  virtual void launch() = 0;

  /// Waits for it, then checks that every node is in its own entry's list exactly once.
  virtual outcome check() = 0;

  /// Resets, inserts once more under a probe, and tells what it saw: retries per insert and, on a
  /// GPU, lock-transfer latency and waiting times in nanoseconds; for servers also how many there
  /// were.
  virtual std::map<std::string, double> watch() = 0;
};

/// \throws launch_error when the grid cannot be co-resident, std::bad_alloc when device memory is
/// used up.
using make_inserter = std::unique_ptr<inserter>(const setup& how);

make_inserter make_spin, make_ordered_spin, make_backoff, make_ticket, make_ring, make_combining,
    make_lockfree, make_server_basic, make_server_paper, make_server_fast;

}  // namespace finesync::hash_table
