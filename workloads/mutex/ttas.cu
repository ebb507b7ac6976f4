#include "lock_competition.cuh"

#include <finesync/locks/ttas_lock.cuh>

namespace finesync::mutex {

std::unique_ptr<trial> make_ttas(const setup& how) {
  return compete_either<ttas_lock<scope::device, exponential_backoff<32, 2048>>,
                        ttas_lock<scope::device, no_backoff>>(how);
}

}  // namespace finesync::mutex
