#include "semaphore_competition.cuh"

#include <finesync/device/backoff.cuh>
#include <finesync/semaphores/spin_semaphore.cuh>

namespace finesync::semaphore {

std::unique_ptr<trial> make_spin(const setup& how) {
  return compete_either<spin_semaphore<exponential_backoff<32, 1024>>, spin_semaphore<no_backoff>>(
      how);
}

}  // namespace finesync::semaphore
