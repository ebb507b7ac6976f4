#include "strips_experiment.cuh"

#include <workloads/nw/alignments.hpp>

namespace finesync::nw {

std::unique_ptr<bench::experiment> make_strips(const setup& how) {
  if (how.strips_per_sm == 2) {
    if (!strips_experiment<half_sm>::fits())
      throw bench::infeasible("two strips take more shared memory than an SM has");
    return std::make_unique<strips_experiment<half_sm>>(how);
  }
  if (strips_experiment<whole_sm>::fits())
    return std::make_unique<strips_experiment<whole_sm>>(how);
  return std::make_unique<strips_experiment<small_sm>>(how);
}

}  // namespace finesync::nw
