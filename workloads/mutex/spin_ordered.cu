#include "lock_competition.cuh"

#include <finesync/locks/spin_ordered_lock.cuh>

namespace finesync::mutex {

std::unique_ptr<trial> make_spin_ordered(const setup& how) {
  return compete_as_is<spin_ordered_lock<scope::device>>(how);
}

std::unique_ptr<trial> make_ebo(const setup& how) {
  return compete_as_is<spin_ordered_lock<scope::device, exponential_backoff<32, 2048>>>(how);
}

}  // namespace finesync::mutex
