#include "edges_experiment.cuh"

#include <memory>

namespace finesync::sgd {

template <unsigned Features>
using printed_servers = edge_server_experiment<Features, printed_edge_servers>;

std::unique_ptr<bench::experiment> make_server_edges_printed(const run_config& config) {
  return by_features<printed_servers>(config);
}

}  // namespace finesync::sgd
