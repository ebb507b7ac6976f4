#include "server_experiment.cuh"

#include <memory>

namespace finesync::sgd {

template <unsigned Features>
using correct_servers = server_experiment<Features, correct_service>;

std::unique_ptr<bench::experiment> make_server_movies(const run_config& config) {
  return by_features<correct_servers>(config);
}

}  // namespace finesync::sgd
