#include "lock_competition.cuh"

#include <finesync/locks/cohort_lock.cuh>

namespace finesync::mutex {

std::unique_ptr<trial> make_cohort(const setup& how) {
  using patience = proportional_backoff<100, 1'000'000>;
  return compete_either<cohort_lock<patience, slots>, cohort_lock<no_backoff, slots>>(how);
}

}  // namespace finesync::mutex
