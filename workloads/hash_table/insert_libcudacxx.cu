#include "table_inserter.cuh"

#include <workloads/contest/libcudacxx_lock.cuh>

namespace finesync::hash_table {

std::unique_ptr<trial> make_libcudacxx(const setup& how) {
  return std::make_unique<locked_inserter<contest::libcudacxx_lock>>(how);
}

}  // namespace finesync::hash_table
