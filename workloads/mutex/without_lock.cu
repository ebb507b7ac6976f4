#include "compete.cuh"
#include "without_lock.cuh"

#include <workloads/common/grid.cuh>
#include <workloads/common/run_length.cuh>

namespace finesync::mutex {

namespace {

template <class Section>
inline constexpr auto* kernel = compete<without_lock, Section, workload::for_rounds, no_observer>;

}  // namespace

unsigned resident_without_lock(const run_config& config, const launch_shape& block) {
  return with_section(config, nullptr, [&]<class Section>(const Section&) {
    return workload::resident_of_all(block, kernel<Section>);
  });
}

void launch_without_lock(const run_config& config, const launch_shape& shape,
                         const lock_table<without_lock>& none, const counted_words& words,
                         const watchdog_ref& watchdog) {
  with_section(config, words.words(), [&]<class Section>(const Section& section) {
    launch_cooperative(kernel<Section>, shape, none.ref(), section, words.acquisitions_of_blocks(),
                       workload::for_rounds{config.rounds}, watchdog, no_observer{});
  });
}

}  // namespace finesync::mutex
