// Accounts as words of the groups of conflict-free rounds (handoff_by_version of
// group_handoff.cuh).
#pragma once

#include <finesync/conflict_free/group_handoff.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/atm/transfer_section.cuh>

#include <cstdint>

namespace finesync::atm {

/// Account a is at place a / groups of group a % groups, so neighbours are in different groups.
class grouping {
 public:
  /// \param groups at most 256, with accounts below 2^24. For these, the upper half of the product
  /// with 2^32 / groups, rounded up, is the exact quotient: the product is too large by less than 1
  /// / groups.
  __host__ __device__ grouping(unsigned groups, unsigned size)
      : groups_(groups), size_(size), factor_(0xffffffffu / groups + 1) {}

  __host__ __device__ unsigned groups() const { return groups_; }
  /// Accounts per group.
  __host__ __device__ unsigned size() const { return size_; }

  __device__ unsigned group_of(std::uint32_t account) const {
    return account - place_of(account) * groups_;
  }
  __device__ unsigned place_of(std::uint32_t account) const {
    return groups_ == 1 ? account : __umulhi(account, factor_);
  }

 private:
  unsigned groups_;
  unsigned size_;
  std::uint32_t factor_;
};

/// The words that hold accounts in their lower halves; the upper halves are versions
/// (handoff_by_version).
struct words_of_groups {
  const cell<std::uint64_t>* words;
  grouping groups;

  __device__ std::uint32_t operator[](std::uint32_t account) const {
    return static_cast<std::uint32_t>(
        words[groups.group_of(account) * groups.size() + groups.place_of(account)]);
  }
};

}  // namespace finesync::atm
