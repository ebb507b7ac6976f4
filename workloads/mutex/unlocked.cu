#include "compete.cuh"
#include "unlocked.cuh"

#include <workloads/common/grid.cuh>
#include <workloads/common/run_length.cuh>

namespace finesync::mutex {

namespace {

template <class Section>
inline constexpr auto* kernel =
    compete<unlocked, Section, workload::for_rounds, workload::unwatched>;

}  // namespace

unsigned resident_unlocked(const setup& how, const launch_shape& block) {
  return with_section(how, nullptr, [&]<class Section>(const Section&) {
    return workload::resident_of_all(block, kernel<Section>);
  });
}

void launch_unlocked(const setup& how, const launch_shape& shape, const lock_table<unlocked>& none,
                     const counted_words& words, const watchdog_ref& watchdog) {
  with_section(how, words.words(), [&]<class Section>(const Section& section) {
    launch_cooperative(kernel<Section>, shape, none.ref(), section, words.acquisitions_of_blocks(),
                       workload::for_rounds{how.rounds}, watchdog, workload::unwatched{});
  });
}

}  // namespace finesync::mutex
