#include "latin_square_experiment.cuh"

#include <memory>

namespace finesync::sgd {

template <unsigned Features>
using correct_rounds = bipartite_experiment<Features, correct_means>;

std::unique_ptr<bench::experiment> make_latin_square(const run_config& config) {
  return by_features<correct_rounds>(config);
}

}  // namespace finesync::sgd
