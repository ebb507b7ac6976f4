#include "table_inserter.cuh"

#include <finesync/locks/combining_lock.cuh>
#include <finesync/locks/spin_ordered_lock.cuh>

namespace finesync::hash_table {

// Of the inner locks and limits tried on an H200, the one that is near the best at every contention
// and every grid: the tuned baseline.
std::unique_ptr<trial> make_combining(const setup& how) {
  using inner = spin_ordered_lock<scope::device, exponential_backoff<32, 2048>>;
  return std::make_unique<locked_inserter<combining_lock<inner>>>(how);
}

}  // namespace finesync::hash_table
