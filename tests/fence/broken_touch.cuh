// A toucher that is wrong on purpose.
#pragma once

#include <workloads/fence/timed_fences.cuh>

namespace finesync::fence_cost {

/// Forgets the access of round `Forgotten`; a store is missed in the last round alone.
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

}  // namespace finesync::fence_cost
