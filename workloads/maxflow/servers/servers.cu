#include "server_worklist.cuh"

#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <workloads/maxflow/flow_experiment.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>

namespace finesync::maxflow {
namespace {

class rings_of_servers : public lock_resources {
 public:
  using version = server_worklist;

  rings_of_servers(std::size_t nodes, const run_config& options, const launch_shape& shape)
      : config_(config_of(nodes, options.ring, shape.blocks)),
        inbox_bytes_(inbox_bytes(config_, options)),
        rings_(flow_channel::memory_bytes(config_) / sizeof(std::uint64_t)) {}

  static std::size_t shared_bytes(const run_config& options) {
    if (options.blocks_per_sm == 0) throw bench::infeasible("servers need a number of blocks");
    const unsigned blocks = options.blocks_per_sm * static_cast<unsigned>(current_gpu().sms);
    const server_config config = config_of(0, options.ring, blocks);
    return inbox_bytes(config, options) +
           flow_channel::direct_outbox::shared_bytes(config, options.threads_per_block);
  }
  version ref() const {
    cell<std::uint32_t>* const words = state_.device_data();
    return {.channel = {config_, reinterpret_cast<unsigned char*>(rings_.raw_pointer())},
            .rings = rings_.device_data(),
            .ring_words = rings_.size(),
            .inbox_bytes = inbox_bytes_,
            .state = {words, words + 1}};
  }

 private:
  /// The thread that ends the work counts as the one client that the servers wait for.
  static server_config config_of(std::size_t nodes, unsigned ring, unsigned blocks) {
    const std::size_t of_server = nodes / std::max(blocks, 1u) + 1;
    const auto least = static_cast<unsigned>(std::max<std::size_t>(ring, 4 * of_server));
    server_config config{.servers = blocks, .clients = 1, .ring = std::bit_ceil(least)};
    check(config);
    return config;
  }

  /// In whole cache lines.
  static unsigned inbox_bytes(const server_config& config, const run_config& options) {
    const std::size_t bytes = flow_channel::inbox::shared_bytes(config, options.threads_per_block);
    return static_cast<unsigned>((bytes + line_bytes - 1) / line_bytes * line_bytes);
  }

  server_config config_;
  unsigned inbox_bytes_;
  buffer<std::uint64_t> rings_;
  buffer<std::uint32_t> state_{2};
};

}  // namespace

std::unique_ptr<bench::experiment> make_server_worklist(const run_config& options) {
  return std::make_unique<kernel_experiment<rings_of_servers>>(options);
}

}  // namespace finesync::maxflow
