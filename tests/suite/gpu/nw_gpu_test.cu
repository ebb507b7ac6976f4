// Alignments on the device: every version, and strips in clusters of any size.
#include "gpu_fixture.hpp"

#include <workloads/nw/alignments_makers.hpp>

#include <tests/primitives.hpp>

#include <string>

namespace finesync::test::nw_gpu_test {
namespace {

nw::run_config of_size(unsigned rows, unsigned columns) {
  return {.problem = {.rows = rows, .columns = columns}};
}

class alignments_on_gpu
    : public on_gpu,
      public ::testing::WithParamInterface<workload::catalogue_entry<nw::run_config>> {};
INSTANTIATE_TEST_SUITE_P(, alignments_on_gpu,
                         ::testing::ValuesIn(workload::runnable(nw::all_alignments())),
                         workload::name_of_primitive);

TEST_P(alignments_on_gpu, are_right) {
  for (const unsigned rows : {1u, 31u, 128u, 1003u}) {
    for (const unsigned columns : {1u, rows, 777u}) {
      nw::run_config config = of_size(rows, columns);
      config.rows = columns % 2 == 0 ? nw::pitch::packed : nw::pitch::lines;
      workload::expect_right(*GetParam().make(config));
    }
  }
}

class strips_on_gpu : public on_gpu {};

TEST_F(strips_on_gpu, are_right_in_clusters_of_any_size) {
  for (const unsigned cluster_blocks : {1u, 2u, 8u, 16u}) {
    for (const unsigned strips_per_sm : {1u, 2u}) {
      nw::run_config config = of_size(3001, 9001);
      config.cluster_blocks = cluster_blocks;
      config.strips_per_sm = strips_per_sm;
      workload::expect_right_or_skip(nw::make_strips, config);
    }
  }
}

TEST_F(strips_on_gpu, may_be_more_than_fit) {
  workload::expect_right(*nw::make_strips(of_size(40'000, 500)));
}

}  // namespace
}  // namespace finesync::test::nw_gpu_test
