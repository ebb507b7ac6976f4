#include "table_inserter.cuh"

#include <finesync/locks/spin_lock.cuh>

namespace finesync::hash_table {

std::unique_ptr<trial> make_spin(const setup& how) {
  return std::make_unique<locked_inserter<spin_lock<scope::device>>>(how);
}

}  // namespace finesync::hash_table
