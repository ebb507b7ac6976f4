// A lock used by unsuitable threads ends the kernel.
#include "counter_kernels.cuh"

#include <finesync/host/watchdog.cuh>

#include <tests/catalogue/locks.hpp>

#include <stdexcept>
#include <string>

namespace finesync::test::contract_test {
namespace {

/// \returns the contract that the launch broke, or nothing.
template <class Lock>
std::string broken_by(const launch_shape& shape, std::size_t threads_with_nodes) {
  const lock_table<Lock> locks(1, lock_layout::packed, threads_with_nodes);
  auto counter = buffer<std::uint32_t>::zeroed(1);
  const watchdog timeout;
  launch_shape with_slots = shape;
  with_slots.shared_bytes = sizeof(slots<Lock>);
  try {
    launch_cooperative(count_under_locks<Lock>, with_slots, locks.ref(), counter.device_data(), 1u,
                       1u, false, timeout.ref());
  } catch (const std::logic_error& problem) {
    return problem.what();
  }
  return "";
}

TEST(contract, cohort_locks_are_for_the_threads_that_have_places) {
  using lock = cohort_lock<scope::device, no_backoff, 4, small_batch, 2>;
  EXPECT_EQ(broken_by<lock>({2, 2}, 0), "");
  EXPECT_EQ(broken_by<lock>({2, 3}, 0), "cohort_lock: for the first `Threads` threads of a block");
}

TEST(contract, mcs_locks_are_for_the_threads_that_have_nodes) {
  EXPECT_EQ(broken_by<mcs_lock<scope::device>>({2, 3}, 6), "");
  EXPECT_EQ(broken_by<mcs_lock<scope::device>>({2, 3}, 5),
            "mcs_lock: the table was made for fewer threads");
}

}  // namespace
}  // namespace finesync::test::contract_test
