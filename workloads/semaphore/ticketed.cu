#include "semaphore_competition.cuh"

#include <finesync/semaphores/ticketed_semaphore.cuh>

namespace finesync::semaphore {

std::unique_ptr<trial> make_ticketed(const setup& how) {
  return compete_either<ticketed_semaphore<>, ticketed_semaphore<no_backoff>>(how);
}

}  // namespace finesync::semaphore
