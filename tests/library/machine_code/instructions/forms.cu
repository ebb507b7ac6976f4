// Some forms of the single instructions of workloads/instructions: check_instructions.py counts
// what their loops execute.
#include <workloads/instructions/accesses.cuh>
#include <workloads/instructions/kernels.cuh>
#include <workloads/instructions/of_blocks.cuh>
#include <workloads/instructions/of_warps.cuh>

#include <cstdint>

namespace finesync::instructions {

#define FINESYNC_BOTH(...)                                                  \
  template __global__ void time_chain<__VA_ARGS__>(launched, watchdog_ref); \
  template __global__ void run_many<__VA_ARGS__>(launched, watchdog_ref);

template <class Word, order Order, bool Used>
using adds = modifies<modification::add, Word, state_space::global, scope::device, Order, Used>;

FINESYNC_BOTH(adds<std::uint32_t, order::relaxed, true>)
FINESYNC_BOTH(adds<std::uint32_t, order::acq_rel, true>)
FINESYNC_BOTH(adds<std::uint64_t, order::relaxed, true>)
FINESYNC_BOTH(adds<std::uint32_t, order::relaxed, false>)
FINESYNC_BOTH(modifies<modification::add, std::uint32_t, state_space::shared, scope::block,
                       order::relaxed, false>)
FINESYNC_BOTH(
    modifies<modification::max, std::uint32_t, state_space::shared, scope::block, order::relaxed>)
FINESYNC_BOTH(compares<true, std::uint32_t, state_space::global, scope::system, order::relaxed>)
FINESYNC_BOTH(loads<std::uint32_t, state_space::global, scope::device, order::plain>)
FINESYNC_BOTH(loads<std::uint32_t, state_space::global, scope::device, order::acquire>)
FINESYNC_BOTH(stores<std::uint32_t, state_space::global, scope::device, order::release>)
FINESYNC_BOTH(stores<std::uint64_t, state_space::shared, scope::block, order::relaxed>)
FINESYNC_BOTH(of_warp<ballots>)
FINESYNC_BOTH(of_warp<shuffles>)
FINESYNC_BOTH(of_warp<matches_any>)
FINESYNC_BOTH(of_warp<matches_all>)
FINESYNC_BOTH(of_warp<sums>)
FINESYNC_BOTH(syncs_named)
FINESYNC_BOTH(syncs_pair)
FINESYNC_BOTH(syncs_cluster)

}  // namespace finesync::instructions
