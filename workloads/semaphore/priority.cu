#include "semaphore_competition.cuh"

#include <finesync/device/backoff.cuh>
#include <finesync/semaphores/priority_semaphore.cuh>

namespace finesync::semaphore {

std::unique_ptr<trial> make_priority(const setup& how) {
  return compete_either<priority_semaphore<exponential_backoff<32, 1024>>,
                        priority_semaphore<no_backoff>>(how);
}

}  // namespace finesync::semaphore
