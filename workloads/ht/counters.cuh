// The critical section that counts an insert in its entry's counter.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/warp.cuh>
#include <workloads/common/arithmetic.cuh>

#include <cstdint>

namespace finesync::ht {

/// Adds to a counter, which only its server uses.
class addition {
 public:
  __device__ addition(std::uint32_t inserts, std::uint32_t section_work)
      : inserts_(inserts), section_work_(section_work) {}

  __device__ void operator()(cell<std::uint32_t>& counter) const {
    counter = counter + inserts_;
    workload::spend_arithmetic(section_work_);
  }

  /// One section adds for all lanes of the group.
  __device__ addition merge(const lane_group& group) const {
    const auto sum = [](std::uint32_t a, std::uint32_t b) { return a + b; };
    return {group.fold(inserts_, sum), section_work_};
  }

 private:
  std::uint32_t inserts_;
  std::uint32_t section_work_;
};

/// Makes the section of each insert, for servers that keep their data in shared memory.
struct count_service {
  using argument = std::uint32_t;  // the node, as for pushes
  using owned = std::uint32_t;

  cell<std::uint32_t>* counters;
  std::uint32_t section_work;

  __device__ addition operator()(std::uint32_t /*entry*/, std::uint32_t /*node*/) const {
    return {1, section_work};
  }
  __device__ cell<std::uint32_t>& home(std::uint32_t entry) const { return counters[entry]; }
  __device__ void finish() const {}
};

}  // namespace finesync::ht
