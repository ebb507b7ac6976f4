#include "lock_competition.cuh"

#include <finesync/locks/spin_lock.cuh>

namespace finesync::mutex {

std::unique_ptr<trial> make_spin(const setup& how) {
  return compete_as_is<spin_lock<scope::device>>(how);
}

}  // namespace finesync::mutex
