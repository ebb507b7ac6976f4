#include "lock_competition.cuh"

#include <workloads/contest/libcudacxx_lock.cuh>

namespace finesync::mutex {

std::unique_ptr<trial> make_libcudacxx(const setup& how) {
  return compete_as_is<contest::libcudacxx_lock>(how);
}

}  // namespace finesync::mutex
