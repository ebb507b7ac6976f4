#include "semaphore_competition.cuh"

#include <finesync/device/backoff.cuh>
#include <finesync/semaphores/word_semaphore.cuh>

namespace finesync::semaphore {

std::unique_ptr<trial> make_word(const setup& how) {
  return compete_either<word_semaphore<exponential_backoff<64, 4096>>, word_semaphore<no_backoff>>(
      how);
}

}  // namespace finesync::semaphore
