// The overlapped searches with the shortest of barriers. check_searches.py reads their loads.
#include <finesync/barriers/cutlass_counter_barrier.cuh>
#include <workloads/traversal/overlapped_search.cuh>

namespace finesync::traversal {

using barrier_ref = cutlass_counter_barrier<>::ref_type;
template __global__ void search_overlapped<breadth_first>(barrier_ref, search_ref, watchdog_ref);
template __global__ void search_overlapped<shortest_paths>(barrier_ref, search_ref, watchdog_ref);

}  // namespace finesync::traversal
