#include "server_experiment.cuh"

#include <memory>

namespace finesync::sgd {

namespace {

template <unsigned Features>
using sound_servers = server_experiment<Features, sound_service>;

}  // namespace

std::unique_ptr<bench::experiment> make_server_movies(const setup& how) {
  return by_features<sound_servers>(how);
}

}  // namespace finesync::sgd
