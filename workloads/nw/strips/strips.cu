#include "strips.hpp"
#include "strips_experiment.cuh"

#include <memory>
#include <stdexcept>

namespace finesync::nw {

std::unique_ptr<bench::experiment> make_strips(const run_config& config) {
  if (config.strips_per_sm == 2) {
    if (!strips_experiment<half_sm>::fits())
      throw bench::infeasible("two strips take more shared memory than an SM has");
    return std::make_unique<strips_experiment<half_sm>>(config);
  }
  if (strips_experiment<whole_sm>::fits())
    return std::make_unique<strips_experiment<whole_sm>>(config);
  return std::make_unique<strips_experiment<small_sm>>(config);
}

std::vector<std::int32_t> scores_by_strips(const problem& what) {
  const auto made = make_strips({.problem = what});
  auto& experiment = static_cast<alignment_experiment&>(*made);
  experiment.reset();
  experiment.launch();
  const bench::outcome ended = experiment.verify();
  if (!ended.ok()) throw std::runtime_error(ended.reason);
  return experiment.scores();
}

}  // namespace finesync::nw
