#include "contend.cuh"
#include "without_semaphore.cuh"

namespace finesync::semaphore {

namespace {

/// A semaphore that lets all threads enter.
struct no_semaphore {
  struct acquisition {};
  __device__ acquisition enqueue(unsigned) const { return {}; }
  __device__ bool try_enter(acquisition&) const { return true; }
  __device__ void wait(acquisition&) const {}
  __device__ bool leave(acquisition&) const { return true; }
};

template <class Section>
void launch_with(const run_config& config, const launch_shape& shape, const shares_ref& table,
                 const watchdog_ref& watchdog) {
  launch_cooperative(contend<Section, no_semaphore, workload::for_rounds, no_observer>, shape,
                     no_semaphore{}, table, workload::for_rounds{config.rounds}, watchdog,
                     no_observer{});
}

}  // namespace

void launch_without_semaphore(const run_config& config, const launch_shape& shape,
                              const shares_ref& table, const watchdog_ref& watchdog) {
  if (config.ldst == 0)
    launch_with<two_words>(config, shape, table, watchdog);
  else if (config.writer_grows)
    launch_with<share_of_table>(config, shape, table, watchdog);
  else
    launch_with<all_words>(config, shape, table, watchdog);
}

}  // namespace finesync::semaphore
