#include "barrier_synchronizer.cuh"

#include <finesync/barriers/atomic_tree_barrier.cuh>
#include <finesync/barriers/lock_free_tree_barrier.cuh>
#include <finesync/barriers/sense_reversing_barrier.cuh>

namespace finesync::rendezvous {

namespace {

template <template <class> class Barrier>
std::unique_ptr<trial> with_backoff(const setup& how) {
  // A barrier takes some microseconds; to sleep longer is to come late.
  if (how.backoff)
    return std::make_unique<barrier_synchronizer<Barrier<exponential_backoff<32, 512>>>>(how);
  return std::make_unique<barrier_synchronizer<Barrier<no_backoff>>>(how);
}

template <class Backoff>
using atomic_tree = atomic_tree_barrier<Backoff>;

template <class Backoff>
using sense_reversing = sense_reversing_barrier<Backoff>;

}  // namespace

std::unique_ptr<trial> make_atomic_tree(const setup& how) {
  return with_backoff<atomic_tree>(how);
}

std::unique_ptr<trial> make_sense_reversing(const setup& how) {
  return with_backoff<sense_reversing>(how);
}

std::unique_ptr<trial> make_lock_free_tree(const setup& how) {
  return std::make_unique<barrier_synchronizer<lock_free_tree_barrier<>>>(how);
}

}  // namespace finesync::rendezvous
