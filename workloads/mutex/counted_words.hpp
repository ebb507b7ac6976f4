// The words that blocks count in, and their reports: the state of one run, and its verification.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/mutex/run_config.hpp>

#include <cstdint>
#include <vector>

namespace finesync::mutex {

class counted_words {
 public:
  counted_words(const run_config& config, unsigned blocks);

  void reset();

  /// Verifies that every block had `rounds` acquisitions.
  bench::outcome verify_rounds(unsigned rounds) const;
  /// Verifies that every word counts all sections.
  bench::outcome verify_counts() const;

  cell<std::uint32_t>* words() const { return words_.device_data(); }
  cell<std::uint32_t>* acquisitions_of_blocks() const { return acquisitions_.device_data(); }
  std::uint64_t acquisitions() const;
  std::vector<std::uint64_t> acquisitions_by_block() const;

 private:
  buffer<std::uint32_t> words_;
  buffer<std::uint32_t> acquisitions_;
};

}  // namespace finesync::mutex
