#include "table_inserter.cuh"

#include <finesync/locks/ttas_lock.cuh>

namespace finesync::hash_table {

std::unique_ptr<trial> make_backoff(const setup& how) {
  return std::make_unique<locked_inserter<ttas_lock<scope::device, exponential_backoff<32, 2048>>>>(
      how);
}

}  // namespace finesync::hash_table
