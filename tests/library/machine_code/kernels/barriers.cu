// Joining each grid barrier, and waiting at it.
#include "kernels.cuh"

#include <finesync/barriers/atomic_tree_barrier.cuh>
#include <finesync/barriers/cluster_barrier.cuh>
#include <finesync/barriers/cooperative_groups_barrier.cuh>
#include <finesync/barriers/counter_participant.cuh>
#include <finesync/barriers/cutlass_counter_barrier.cuh>
#include <finesync/barriers/lock_free_tree_barrier.cuh>
#include <finesync/barriers/sense_reversing_barrier.cuh>
#include <finesync/barriers/team_barrier.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/several_gpus/gpus_barrier.cuh>
#include <workloads/printed/barriers/atomic_tree_barrier.cuh>
#include <workloads/printed/barriers/lock_free_tree_barrier.cuh>
#include <workloads/printed/barriers/sense_reversing_barrier.cuh>

#include <new>

namespace {

template <class Participant>
__device__ void exchange(Participant participant, cell<u32>* data) {
  data[threadIdx.x] = threadIdx.x;
  if (participant.wait()) data[threadIdx.x] = data[threadIdx.x + 1];
}

}  // namespace

#define BARRIER(name, ...)                                                                     \
  extern "C" __global__ void name##_join(__VA_ARGS__::ref_type barrier, watchdog_ref watchdog, \
                                         __VA_ARGS__::ref_type::participant* participants) {   \
    assume_one_dimension<__VA_ARGS__::ref_type>();                                             \
    new (participants + threadIdx.x) auto(barrier.join(watchdog));                             \
  }                                                                                            \
  extern "C" __global__ void name##_wait(__VA_ARGS__::ref_type::participant participant,       \
                                         cell<u32>* data) {                                    \
    assume_one_dimension<__VA_ARGS__::ref_type>();                                             \
    exchange(participant, data);                                                               \
  }

/// The arrival and its contribution: one addition.
extern "C" __global__ void carry_arrive(
    counter_participant<counter_fences, sum_reduction>::ref_type::participant participant,
    cell<u32>* data) {
  assume_one_dimension();
  data[threadIdx.x] = threadIdx.x;
  participant.contribute(data[0]);
  participant.arrive();
}

BARRIER(atomic_tree, atomic_tree_barrier<>)
BARRIER(lock_free_tree, lock_free_tree_barrier<>)
BARRIER(sense_reversing, sense_reversing_barrier<>)
BARRIER(counter, counter_participant<counter_fences>)
BARRIER(gpus, gpus_participant<gpus_fences>)
BARRIER(cluster, cluster_barrier)
BARRIER(cooperative, cooperative_groups_barrier)
BARRIER(cutlass_counter, cutlass_counter_barrier<>)
BARRIER(atomic_tree_printed, atomic_tree_printed_barrier<>)
BARRIER(lock_free_tree_printed, lock_free_tree_printed_barrier<>)
BARRIER(sense_reversing_printed, sense_reversing_printed_barrier<>)
BARRIER(sense_reversing_static_printed, sense_reversing_static_printed_barrier<>)

extern "C" __global__ void team_join(team_barrier::ref_type teams, team_place place,
                                     watchdog_ref watchdog,
                                     team_barrier::participant* participants) {
  assume_one_dimension();
  new (participants + threadIdx.x) auto(teams.join(place, watchdog));
}
extern "C" __global__ void team_wait(team_barrier::participant participant, cell<u32>* data) {
  assume_one_dimension();
  exchange(participant, data);
}
