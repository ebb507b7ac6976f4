#include "lock_competition.cuh"

#include <finesync/locks/ticket_lock.cuh>

namespace finesync::mutex {

std::unique_ptr<trial> make_ticket(const setup& how) {
  return compete_either<ticket_lock<scope::device, proportional_backoff<500, 65536>>,
                        ticket_lock<scope::device, no_backoff>>(how);
}

}  // namespace finesync::mutex
