#include "lock_competition.cuh"

#include <finesync/locks/carrying_lock.cuh>

namespace finesync::mutex {

std::unique_ptr<trial> make_carrying(const setup& how) {
  using patience = proportional_backoff<100, 1'000'000>;
  return compete_either<carrying_lock<std::uint32_t, patience, slots>,
                        carrying_lock<std::uint32_t, no_backoff, slots>>(how);
}

}  // namespace finesync::mutex
