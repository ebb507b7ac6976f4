// How an application waits at its barriers.
#pragma once

#include <bench/experiment.hpp>

namespace finesync::applications {

/// What a block does while others have not arrived at the barrier.
enum class barrier_form {
  blocking,     ///< nothing
  split_phase,  ///< between its arrival and the wait, what it can do alone for the next round
  overlapped,   ///< the work of a round, by all warps but the first
};

/// The reasons why there is no such form.
[[noreturn]] inline void refuse_split_phase() {
  throw bench::infeasible("no split phase: the arrival waits for other blocks");
}
[[noreturn]] inline void refuse_overlap() {
  throw bench::infeasible("no overlap: all threads of a block take part in this barrier");
}
/// \throws bench::infeasible for any other form than blocking.
inline void require_kernel_end(barrier_form form) {
  if (form != barrier_form::blocking)
    throw bench::infeasible("a kernel's end has no such form: use --barrier-form blocking");
}

}  // namespace finesync::applications
