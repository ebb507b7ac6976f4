// The data that the semaphore guards, and the reports of blocks: the state of one run, and its
// verification.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/semaphore/run_config.hpp>

#include <cstdint>
#include <vector>

namespace finesync::semaphore {

/// A kernel's handle. Every word of the table is the number of writes so far.
struct table_ref {
  unsigned ldst;
  unsigned permits;  ///< permits that a writer takes; 0: no writers
  unsigned sms;      ///< that the grid has blocks for; 0: those that its blocks run on
  cell<std::uint32_t>* words;
  cell<std::uint32_t>* arrived;       ///< per SM: blocks that have requested their role
  cell<std::uint32_t>* writes;        ///< per block: 1 for a writer
  cell<std::uint32_t>* acquisitions;  ///< per block
  cell<std::uint32_t>* torn;          ///< sections that saw different versions
  cell<std::uint32_t>* inside;        ///< permits in use, in runs that count them
  cell<std::uint32_t>* overfull;      ///< entries that exceeded the permits
};

/// The same for sections that use a share of the table.
struct shares_ref : table_ref {
  unsigned shares;                ///< one per block of an SM
  cell<std::uint32_t>* numbered;  ///< per SM: readers that have requested their share
};

struct run_record {
  std::vector<std::uint64_t> readers;  ///< acquisitions of each reader
  std::vector<std::uint64_t> writers;
  std::uint32_t torn;
  std::uint32_t overfull;
  bool consistent;  ///< all words of the table equal the writers' acquisitions

  /// Readers, then writers.
  std::vector<std::uint64_t> everybody() const;
  std::uint64_t acquisitions() const;
};

/// Owns the state.
class table {
 public:
  table(const run_config& config, unsigned blocks);

  void reset();
  shares_ref ref() const;
  run_record read() const;

 private:
  run_config config_;
  buffer<std::uint32_t> words_;
  buffer<std::uint32_t> arrived_;
  buffer<std::uint32_t> writes_;
  buffer<std::uint32_t> acquisitions_;
  buffer<std::uint32_t> counters_;
};

inline constexpr unsigned any_rounds = 0;

/// Verifies that every block had its acquisitions: `rounds`, or any_rounds.
bench::outcome verify_rounds(const run_record& seen, unsigned rounds);
/// Verifies what the sections found and left.
bench::outcome verify_sections(const run_record& seen);

}  // namespace finesync::semaphore
