// A broken accessor.
#pragma once

#include <workloads/instructions/fences/timed_fences.cuh>

namespace finesync::instructions::fences {

/// Omits the access of round `Forgotten`; a missing store shows only in the last round.
template <std::uint32_t Forgotten>
struct broken_touch {
  template <scope Scope>
  __device__ static std::uint32_t once(cell<std::uint32_t>& at, access kind, std::uint32_t round) {
    return round == Forgotten ? 0 : touch::once<Scope>(at, kind, round);
  }
};

struct no_fence {
  __device__ void operator()() const {}
};

}  // namespace finesync::instructions::fences
