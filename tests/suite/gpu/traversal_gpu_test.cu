// Searches on the device: with every barrier in every form, and with every way to launch each
// level.
#include "gpu_fixture.hpp"

#include <workloads/bfs/barriers.hpp>
#include <workloads/sssp/barriers.hpp>

#include <tests/primitives.hpp>

namespace finesync::traversal {
namespace {

class searches_on_gpu : public test::on_gpu {
 protected:
  template <class Entries>
  static void expect_all_right(const Entries& entries) {
    using enum barrier_form;
    for (const auto& each : entries)
      for (const char* const input : {"grid/300", "r4/12"})
        for (const barrier_form form : {blocking, split_phase, overlapped}) {
          const run_config config{
              .input = input, .source = {}, .threads_per_block = 256, .form = form};
          try {
            SCOPED_TRACE(each.name);
            workload::expect_right(*each.make(config));
          } catch (const bench::infeasible&) {
            continue;  // tests/suite/traversal covers which forms it has
          } catch (const launch_error&) {
            continue;  // of another machine
          }
        }
  }
};

TEST_F(searches_on_gpu, by_levels_are_right) {
  expect_all_right(bfs::all_barriers());
}
TEST_F(searches_on_gpu, by_weights_are_right) {
  expect_all_right(sssp::all_barriers());
}

}  // namespace
}  // namespace finesync::traversal
