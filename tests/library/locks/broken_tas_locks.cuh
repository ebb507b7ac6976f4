// Locks that do not exclude.
#pragma once

#include <finesync/locks/tas_lock.cuh>

namespace finesync::test {

/// Never excludes.
template <scope Scope>
struct lock_for_all : tas_lock<Scope> {
  using tas_lock<Scope>::tas_lock;
  __device__ bool try_enter(typename tas_lock<Scope>::acquisition&) { return true; }
  template <class Acquisition>
  __device__ bool try_acquire_relaxed(Acquisition&) {
    return true;
  }
};
/// Tests, then sets.
template <scope Scope>
struct lock_in_two_steps : tas_lock<Scope> {
  using tas_lock<Scope>::tas_lock;
  __device__ bool try_enter(typename tas_lock<Scope>::acquisition&) {
    return try_acquire_relaxed(*this);
  }
  template <class Acquisition>
  __device__ bool try_acquire_relaxed(Acquisition&) {
    if (!this->is_free()) return false;
    this->held_.store(1, memory_order::relaxed);
    return true;
  }
};

}  // namespace finesync::test
