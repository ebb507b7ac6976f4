// Every semaphore of the library, as a type list for typed tests.
#pragma once

#include <finesync/device/backoff.cuh>
#include <finesync/semaphores/priority_semaphore.cuh>
#include <finesync/semaphores/spin_semaphore.cuh>
#include <finesync/semaphores/ticketed_semaphore.cuh>
#include <finesync/semaphores/word_semaphore.cuh>

#include <gtest/gtest.h>

#include <string>

namespace finesync::test {

/// Without back-off, so that schedules are not thinned out by sleep; tests of waiting add it. Four
/// lines make waiters of the ticketed one share and reuse them.
using all_semaphores =
    ::testing::Types<spin_semaphore<no_backoff>, priority_semaphore<no_backoff>,
                     word_semaphore<no_backoff>, ticketed_semaphore<no_backoff, 4>>;

struct semaphore_names {
  template <class Semaphore>
  static std::string GetName(int index) {
    constexpr const char* names[] = {"spin", "priority", "word", "ticketed"};
    return names[index];
  }
};

}  // namespace finesync::test
