#include "barrier_synchronizer.cuh"

#include <finesync/barriers/cooperative_barrier.cuh>

namespace finesync::rendezvous {

std::unique_ptr<trial> make_cooperative(const setup& how) {
  return std::make_unique<barrier_synchronizer<cooperative_barrier>>(how);
}

}  // namespace finesync::rendezvous
