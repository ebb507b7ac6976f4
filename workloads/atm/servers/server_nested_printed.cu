// Servers on the paper's message path (ASPLOS'19, sections 3.2 and 3.3).
#include <workloads/atm/servers/nested_experiment.cuh>
#include <workloads/printed/server/paper_lending/paper_nested_server_pool.cuh>

#include <memory>
#include <utility>

namespace finesync::atm {

namespace {

/// At least two: one server lends no lock.
struct printed_servers {
  using config = paper_nested_config;
  template <class Service>
  using pool = paper_nested_server_pool<Service>;
  static constexpr unsigned min_servers = 2;
  static constexpr unsigned min_warps = pool<timed_service>::min_warps;

  static config config_of(unsigned servers, unsigned clients, const run_config& options) {
    config chosen;
    chosen.servers = servers;
    chosen.clients = clients;
    chosen.threads_per_block = options.threads_per_block;
    return chosen;
  }
  template <class Service, class Client, class Observer>
  static unsigned resident(const config& chosen) {
    return pool<Service>::template max_resident<Client, Observer>(chosen);
  }
  static bench::parameters with_parameters_of(const config& chosen, bench::parameters row) {
    return workload::with_parameters_of(chosen.offloads(), std::move(row));
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_server_nested_printed(const run_config& options) {
  return std::make_unique<server_nested_experiment<printed_servers>>(options);
}

}  // namespace finesync::atm
