#include "server_flow_printed.cuh"

#include <memory>

namespace finesync::maxflow {

std::unique_ptr<bench::experiment> make_server_flow_printed(const run_config& config) {
  return std::make_unique<kernel_experiment<printed_servers<correct_messages>>>(config);
}

}  // namespace finesync::maxflow
