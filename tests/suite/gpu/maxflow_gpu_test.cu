// Maximum flows on the device: every version, on meshes, with several grids and paces.
#include "gpu_fixture.hpp"

#include <workloads/maxflow/flows.hpp>
#include <workloads/maxflow/locks.hpp>

#include <tests/primitives.hpp>

#include <string>
#include <vector>

namespace finesync::test::maxflow_gpu_test {
namespace {

std::vector<workload::catalogue_entry<maxflow::run_config>> versions_of_flow() {
  auto all = workload::runnable(maxflow::all_flows());
  for (const auto& each : workload::runnable(maxflow::all_locks())) all.push_back(each);
  return all;
}

class flows_on_gpu
    : public on_gpu,
      public ::testing::WithParamInterface<workload::catalogue_entry<maxflow::run_config>> {};
INSTANTIATE_TEST_SUITE_P(, flows_on_gpu, ::testing::ValuesIn(versions_of_flow()),
                         workload::name_of_primitive);

TEST_P(flows_on_gpu, are_right) {
  for (const unsigned rows : {3u, 40u, 130u}) {
    for (const unsigned columns : {1u, rows, 77u}) {
      for (const unsigned threads : {32u, 256u}) {
        // The paper's message path needs two warps.
        const bool is_served = GetParam().name == std::string("server_flow_printed");
        const maxflow::run_config config{.problem = {.rows = rows, .columns = columns},
                                         .threads_per_block = is_served ? threads + 32 : threads,
                                         .blocks_per_sm = 1,
                                         .steps_per_barrier = rows % 7 + 1};
        workload::expect_right(*GetParam().make(config));
      }
    }
  }
}

TEST_P(flows_on_gpu, through_hard_networks_are_right) {
  for (const char* input :
       {"genrmf/8x20", "ak/200", "matching/2000x3", "layered/8x300", "power-law/12"})
    workload::expect_right(*GetParam().make(
        {.problem = {.input = input}, .threads_per_block = 128, .blocks_per_sm = 1}));
}

TEST_P(flows_on_gpu, are_right_with_every_pace) {
  for (const unsigned percent : {1u, 1000u}) {
    const maxflow::run_config config{.problem = {.rows = 100, .columns = 100},
                                     .threads_per_block = 128,
                                     .blocks_per_sm = 2,
                                     .padded_locks = true,
                                     .steps_per_barrier = 64,
                                     .relabel_interval = percent};
    workload::expect_right(*GetParam().make(config));
  }
}

}  // namespace
}  // namespace finesync::test::maxflow_gpu_test
