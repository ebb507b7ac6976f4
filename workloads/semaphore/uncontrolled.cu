#include "contend.cuh"
#include "uncontrolled.cuh"

namespace finesync::semaphore {

namespace {

/// Lets everybody in.
struct no_semaphore {
  struct request {};
  __device__ request arrive(unsigned) const { return {}; }
  __device__ bool enter(request&) const { return true; }
  __device__ void wait(request&) const {}
  __device__ bool leave(request&) const { return true; }
};

template <class Section>
void launch_with(const setup& how, const launch_shape& shape, const table_ref& table,
                 const watchdog_ref& watchdog) {
  launch_cooperative(contend<Section, no_semaphore, workload::for_rounds, workload::unwatched>,
                     shape, no_semaphore{}, table, workload::for_rounds{how.rounds}, watchdog,
                     workload::unwatched{});
}

}  // namespace

void launch_uncontrolled(const setup& how, const launch_shape& shape, const table_ref& table,
                         const watchdog_ref& watchdog) {
  if (how.ldst == 0)
    launch_with<two_words>(how, shape, table, watchdog);
  else
    launch_with<all_words>(how, shape, table, watchdog);
}

}  // namespace finesync::semaphore
