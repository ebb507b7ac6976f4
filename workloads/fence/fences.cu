#include "fence_trial.cuh"

namespace finesync::fence_cost {

namespace {

template <memory_order Order, scope Scope>
struct executes {
  __device__ void operator()() const { fence<Order, Scope>(); }
};

template <memory_order Order, scope Scope = scope::device>
std::unique_ptr<trial> make(const setup& how) {
  return std::make_unique<fence_trial<executes<Order, Scope>>>(how);
}

}  // namespace

std::unique_ptr<trial> make_release(const setup& how) {
  return make<memory_order::release>(how);
}

std::unique_ptr<trial> make_acquire(const setup& how) {
  return make<memory_order::acquire>(how);
}

std::unique_ptr<trial> make_acq_rel(const setup& how) {
  return make<memory_order::acq_rel>(how);
}

std::unique_ptr<trial> make_seq_cst(const setup& how) {
  return make<memory_order::seq_cst>(how);
}

std::unique_ptr<trial> make_release_cluster(const setup& how) {
  return make<memory_order::release, scope::cluster>(how);
}

std::unique_ptr<trial> make_release_block(const setup& how) {
  return make<memory_order::release, scope::block>(how);
}

}  // namespace finesync::fence_cost
