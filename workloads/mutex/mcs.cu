#include "lock_competition.cuh"

#include <finesync/locks/mcs_lock.cuh>

namespace finesync::mutex {

std::unique_ptr<trial> make_mcs(const setup& how) {
  return compete_as_is<mcs_lock>(how);
}

}  // namespace finesync::mutex
