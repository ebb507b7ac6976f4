// Experiments that are wrong on purpose: the verification that the right ones pass must reject
// each.
#pragma once

#include "primitives.hpp"

#include <tests/locks/exploration.hpp>

namespace finesync::test {

/// Of the seeds, whether one has a wrong end; a wait that never ends is one.
template <class Experiment, class Setup>
bool is_rejected(unsigned seeds, const Setup& how,
                 simt::memory_kind memory = simt::memory_kind::strong) {
  return failing_twin_seeds(memory, seeds, [&] {
           Experiment broken(how);
           return workload::ending(broken).ok();
         }) != 0;
}

}  // namespace finesync::test
