// The words that blocks count in, and their reports: the state of one run, and its verification.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <workloads/mutex/run_config.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace finesync::mutex {

/// Verifies that every block had `rounds` acquisitions.
bench::outcome verify_rounds(std::span<const std::uint64_t> acquisitions_by_block, unsigned rounds);
/// Verifies that every word counts all sections.
bench::outcome verify_counts(std::span<const std::uint32_t> words, std::uint64_t sections);

class counted_words {
 public:
  counted_words(const run_config& config, unsigned blocks);

  void reset();

  bench::outcome verify_rounds(unsigned rounds) const {
    return mutex::verify_rounds(acquisitions_by_block(), rounds);
  }
  bench::outcome verify_counts() const {
    return mutex::verify_counts(words_.to_host(), acquisitions());
  }

  cell<std::uint32_t>* words() const { return words_.device_data(); }
  cell<std::uint32_t>* acquisitions_of_blocks() const { return acquisitions_.device_data(); }
  std::uint64_t acquisitions() const;
  std::vector<std::uint64_t> acquisitions_by_block() const;

 private:
  buffer<std::uint32_t> words_;
  buffer<std::uint32_t> acquisitions_;
};

}  // namespace finesync::mutex
