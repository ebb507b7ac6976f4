// Servers on the quick message path.
#include <finesync/server/lending/nested_server_pool.cuh>
#include <workloads/atm/servers/nested_experiment.cuh>

#include <memory>

namespace finesync::atm {

namespace {

template <data_placement Placement>
struct quick_servers {
  using config = nested_config;
  template <class Service>
  using pool = nested_server_pool<Service, nested_protocol<typename Service::datum, Placement>>;
  static constexpr unsigned min_servers = 1;
  static constexpr unsigned min_warps = 2;

  static config config_of(unsigned servers, unsigned clients, const run_config& options) {
    const unsigned warps = options.threads_per_block / 32;
    config chosen;
    chosen.servers = servers;
    chosen.clients = clients;
    chosen.keys = options.problem.accounts;
    chosen.offload_warps = warps / 2;
    chosen.request_warps = warps - warps / 2;
    return chosen;
  }
  template <class Service, class Client, class Observer>
  static unsigned resident(const config& chosen) {
    return max_resident_blocks(
        nested_server_grid<typename pool<Service>::ref, Service, Client, Observer>,
        chosen.threads_per_block(), pool<Service>::shared_bytes(chosen));
  }
  static bench::parameters with_parameters_of(const config& chosen, bench::parameters row) {
    workload::add_parameter(row, "server_blocks", chosen.servers);
    workload::add_parameter(row, "client_blocks", chosen.clients);
    workload::add_parameter(row, "offload_warps", chosen.offload_warps);
    workload::add_parameter(row, "request_warps", chosen.request_warps);
    workload::add_parameter(row, "ring_requests", chosen.ring);
    return row;
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_server_nested(const run_config& options) {
  return std::make_unique<server_nested_experiment<quick_servers<data_placement::messages>>>(
      options);
}
std::unique_ptr<bench::experiment> make_server_nested_in_memory(const run_config& options) {
  return std::make_unique<server_nested_experiment<quick_servers<data_placement::global_memory>>>(
      options);
}

}  // namespace finesync::atm
