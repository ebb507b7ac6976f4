#include "table_inserter.cuh"

#include <finesync/locks/array_lock.cuh>

namespace finesync::hash_table {

std::unique_ptr<trial> make_array(const setup& how) {
  return std::make_unique<
      locked_inserter<array_lock<scope::device, proportional_backoff<500, 65536>>>>(how);
}

}  // namespace finesync::hash_table
