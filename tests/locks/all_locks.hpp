// Every lock of the library, as type lists for typed tests.
#pragma once

#include <finesync/locks/backoff_lock.cuh>
#include <finesync/locks/combining_lock.cuh>
#include <finesync/locks/ordered_spin_lock.cuh>
#include <finesync/locks/ring_lock.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>

#include <gtest/gtest.h>

namespace finesync::test {

/// Without back-off, so that schedules are not thinned out by sleep; tests of waiting add it.
template <scope Scope>
using locks_of_scope =
    ::testing::Types<spin_lock<Scope>, ordered_spin_lock<Scope>, backoff_lock<Scope, no_backoff>,
                     ticket_lock<Scope, no_backoff>, ring_lock<Scope, no_backoff, 4>,
                     combining_lock<ordered_spin_lock<Scope>>>;

struct lock_names {
  template <class Lock>
  static std::string GetName(int index) {
    constexpr const char* names[] = {"spin",   "ordered_spin", "backoff",
                                     "ticket", "ring",         "combining"};
    return names[index];
  }
};

}  // namespace finesync::test
