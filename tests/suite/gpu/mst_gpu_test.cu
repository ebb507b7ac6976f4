// Minimum spanning forests on the device: every version, and each number of light edges.
#include "gpu_fixture.hpp"

#include <workloads/mst/minima.hpp>

#include <tests/primitives.hpp>

namespace finesync::test::mst_gpu_test {
namespace {

class forests_on_gpu
    : public on_gpu,
      public ::testing::WithParamInterface<workload::catalogue_entry<mst::run_config>> {};
INSTANTIATE_TEST_SUITE_P(, forests_on_gpu,
                         ::testing::ValuesIn(workload::runnable(mst::all_minima())),
                         workload::name_of_primitive);

TEST_P(forests_on_gpu, are_right) {
  for (const char* input :
       {"rmat/14", "rmat-graph500/14", "r4/15", "r4-cycle/13", "grid/150", "road/20000",
        "path/60000", "path-shuffled/60000", "path-pairs/60000", "path-merges/20000",
        "path-chains/60000", "caterpillar/60000", "comb/60000", "star-paths/60000", "clique/400",
        "cliques/60000", "hub/20000"}) {
    for (const unsigned light : {mst::all_light, 30u, 100u})
      workload::expect_right(
          *GetParam().make({.problem = {.input = input}, .light_percent = light}));
  }
}

}  // namespace
}  // namespace finesync::test::mst_gpu_test
