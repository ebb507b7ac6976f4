#include "table_inserter.cuh"

#include <finesync/locks/spin_ordered_lock.cuh>

namespace finesync::hash_table {

std::unique_ptr<trial> make_ordered_spin(const setup& how) {
  return std::make_unique<locked_inserter<spin_ordered_lock<scope::device>>>(how);
}

}  // namespace finesync::hash_table
