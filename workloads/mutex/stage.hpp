// What blocks count in, and what they report: the state of one run, and the check of it.
#pragma once

#include <finesync/device/buffer.cuh>
#include <finesync/device/cell.cuh>
#include <workloads/mutex/competition.hpp>

#include <cstdint>
#include <vector>

namespace finesync::mutex {

class stage {
 public:
  stage(const setup& how, unsigned blocks);

  void reset();

  /// Every block has had its rounds, if rounds are given, and every word counts all sections.
  outcome judge(unsigned rounds) const;

  cell<std::uint32_t>* words() const { return words_.cells(); }
  cell<std::uint32_t>* acquisitions() const { return acquisitions_.cells(); }
  std::vector<std::uint64_t> acquisitions_by_block() const;

 private:
  buffer<std::uint32_t> words_;  ///< none where sections are empty
  buffer<std::uint32_t> acquisitions_;
};

}  // namespace finesync::mutex
