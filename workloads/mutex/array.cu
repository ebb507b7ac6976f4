#include "lock_competition.cuh"

#include <finesync/locks/array_lock.cuh>

namespace finesync::mutex {

std::unique_ptr<trial> make_array(const setup& how) {
  using patience = proportional_backoff<100, 1'000'000>;
  return compete_either<array_lock<scope::device, patience, slots>,
                        array_lock<scope::device, no_backoff, slots>>(how);
}

}  // namespace finesync::mutex
