#include "server_resources.cuh"
#include "server_worklist.cuh"

#include <finesync/host/buffer.cuh>
#include <workloads/maxflow/flow_experiment.cuh>

#include <cstddef>
#include <memory>

namespace finesync::maxflow {
namespace {

class rings_of_servers : public server_resources<4> {
 public:
  using version = server_worklist;

  rings_of_servers(std::size_t nodes, const run_config& options, const launch_shape& shape)
      : server_resources(nodes, options, shape.blocks),
        inbox_bytes_(inbox_bytes(config(), options)),
        rings_(flow_channel::memory_bytes(config()) / sizeof(std::uint64_t)) {}

  static std::size_t shared_bytes(const run_config& options) {
    const server_config config = config_of(options);
    return inbox_bytes(config, options) +
           flow_channel::direct_outbox::shared_bytes(config, options.threads_per_block);
  }
  version ref() const {
    return {.channel = {config(), reinterpret_cast<unsigned char*>(rings_.raw_pointer())},
            .rings = rings_.device_data(),
            .ring_words = rings_.size(),
            .inbox_bytes = inbox_bytes_,
            .state = state()};
  }

 private:
  /// In whole cache lines.
  static unsigned inbox_bytes(const server_config& config, const run_config& options) {
    const std::size_t bytes = flow_channel::inbox::shared_bytes(config, options.threads_per_block);
    return static_cast<unsigned>((bytes + line_bytes - 1) / line_bytes * line_bytes);
  }

  unsigned inbox_bytes_;
  buffer<std::uint64_t> rings_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_server_worklist(const run_config& options) {
  return std::make_unique<kernel_experiment<rings_of_servers>>(options);
}

}  // namespace finesync::maxflow
