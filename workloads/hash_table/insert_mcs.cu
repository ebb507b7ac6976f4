#include "table_inserter.cuh"

#include <finesync/locks/mcs_lock.cuh>

namespace finesync::hash_table {

std::unique_ptr<trial> make_mcs(const setup& how) {
  return std::make_unique<locked_inserter<mcs_lock>>(how);
}

}  // namespace finesync::hash_table
