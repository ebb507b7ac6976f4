// Sets of locks in a warp before Volta: with one program counter, lanes hold locks that other lanes
// wait for. Compiled without optimization, as simt/settings.hpp requires.
#include "set_kernels.cuh"

#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <simt/settings.hpp>

#include <gtest/gtest.h>

namespace finesync::test::lock_set_lockstep_test {
namespace {

template <class Way, class Lock>
bool gets_through() {
  simt::settings how;
  how.schedule = simt::schedule_kind::lockstep;
  const simt::scoped_settings scoped(how);
  return moves_right<device_set<Lock, Way>>({.blocks = 1, .threads_per_block = 32, .accounts = 3});
}

TEST(lock_sets_in_lockstep, make_progress) {
  EXPECT_TRUE((gets_through<in_order, spin_lock<scope::device>>()));
  EXPECT_TRUE((gets_through<in_order, ticket_lock<scope::device, no_backoff>>()));
  EXPECT_TRUE((gets_through<all_or_nothing<>, spin_lock<scope::device>>()));
}

}  // namespace
}  // namespace finesync::test::lock_set_lockstep_test
