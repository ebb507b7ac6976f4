#include "table_inserter.cuh"

#include <finesync/locks/carrying_lock.cuh>

namespace finesync::hash_table {

// Few slots: nobody waits for most of the locks, and all have to fit into memory.
std::unique_ptr<trial> make_carrying(const setup& how) {
  using lock = carrying_lock<std::uint32_t, proportional_backoff<200, 65536>, 4>;
  return std::make_unique<locked_inserter<lock>>(how);
}

}  // namespace finesync::hash_table
