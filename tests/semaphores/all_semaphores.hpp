// Every semaphore of the library, as a type list for typed tests.
#pragma once

#include <finesync/device/backoff.cuh>
#include <finesync/semaphores/priority_semaphore.cuh>
#include <finesync/semaphores/spin_semaphore.cuh>
#include <finesync/semaphores/ticketed_semaphore.cuh>
#include <finesync/semaphores/word_semaphore.cuh>

#include <tests/tested_types.hpp>

namespace finesync::test {

struct semaphore_names : names_of_tested<semaphore_names> {
  static constexpr const char* all[] = {"spin", "priority", "word", "ticketed"};
};

/// Without back-off, so that schedules are not thinned out by sleep; tests of waiting add it. Four
/// lines make waiters of the ticketed one share and reuse them.
using all_semaphores =
    tested_types<semaphore_names, spin_semaphore<no_backoff>, priority_semaphore<no_backoff>,
                 word_semaphore<no_backoff>, ticketed_semaphore<no_backoff, 4>>;

}  // namespace finesync::test
