#include "table_inserter.cuh"

#include <finesync/locks/backoff_lock.cuh>
#include <finesync/locks/combining_lock.cuh>

namespace finesync::hash_table {

std::unique_ptr<inserter> make_combining(const setup& how) {
  return std::make_unique<locked_inserter<combining_lock<backoff_lock<scope::device, exponential_backoff<32, 2048>>>>>(how);
}

}  // namespace finesync::hash_table
