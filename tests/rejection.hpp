// Broken experiments: the verification of the correct ones must reject each.
#pragma once

#include "primitives.hpp"

#include <tests/library/harness/search.hpp>

namespace finesync::test {

/// Whether one of the seeds has a wrong result; an endless wait counts as one.
template <class Experiment, class Setup>
bool is_rejected(unsigned seeds, const Setup& how, simt::memory_kind memory = strong) {
  return failing_twin_seeds(memory, seeds, [&] {
           Experiment broken(how);
           return workload::ending(broken).ok();
         }) != 0;
}

}  // namespace finesync::test
