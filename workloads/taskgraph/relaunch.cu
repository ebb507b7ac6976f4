// The end of a kernel as what tasks wait for: a kernel per layer, by launches or in a CUDA graph.
#include "graph_experiment.cuh"

#include <finesync/device/dependent_launch.cuh>
#include <finesync/host/launch_graph.cuh>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace finesync::taskgraph {

namespace {

struct after_the_end {
  static constexpr kernel_order order = kernel_order::after_end;
  __device__ static void begin() {}
  __device__ static void wait() {}
  __device__ static void end() {}
};
/// The launch of the next layer, and what it reads of its tasks, overlap with this one: with all of
/// it, or with the end of its last tasks.
enum class releases { early, late };
template <releases When>
struct overlapping {
  static constexpr kernel_order order = kernel_order::dependent;
  __device__ static void begin() {
    if (When == releases::early) launch_next_kernel();
  }
  __device__ static void wait() { wait_for_previous_kernel(); }
  __device__ static void end() {
    if (When == releases::late) launch_next_kernel();
  }
};

/// The shared memory of a block with which an SM has room for `blocks_per_sm` blocks and no more.
/// Without it a wide layer would have more room than a persistent kernel. So would layers that
/// overlap.
std::size_t room_of_blocks(unsigned blocks_per_sm) {
  constexpr std::size_t of_cuda = 1024;  // of each block
  const std::size_t on_sm = current_gpu().shared_bytes_per_sm;
  return std::min(on_sm / (blocks_per_sm + 1), on_sm / blocks_per_sm - of_cuda);
}

/// A kernel per layer, with a block per task. An SM runs run_config::blocks_per_sm blocks at once.
template <class Link>
class layer_kernels : public graph_experiment<plain_outputs> {
 public:
  explicit layer_kernels(const run_config& config) : layer_kernels(config, checked_graph(config)) {}

  void reset() override {
    graph_experiment<plain_outputs>::reset();
    round_.fill_bytes(0);
  }

 protected:
  /// Of the blocks that run at once.
  launch_shape shape() const override {
    return shape_of(
        std::min(widest_, config().blocks_per_sm * static_cast<unsigned>(current_gpu().sms)));
  }

  /// Queues a replay. \param queue a stream or a graph.
  template <class Queue>
  void queue_replay(Queue& queue) {
    with_most_accesses([&](auto most) {
      launch_independent(queue, begin_replay<Link>, {.blocks = 1, .threads_per_block = 1},
                         round_.device_data());
      for (std::size_t layer = 0; layer + 1 < begins_.size(); ++layer)
        launch_independent(queue, run_layer<plain_outputs, most.value, Link>,
                           shape_of(begins_[layer + 1] - begins_[layer]), replay_of(0),
                           outputs().ref(), round_.device_data(), begins_[layer]);
    });
  }

 private:
  layer_kernels(const run_config& config, const task_graph& graph)
      : graph_experiment<plain_outputs>(config, graph),
        begins_(graph.layer_begins),
        shared_bytes_(std::max(sizeof(block_memory), room_of_blocks(config.blocks_per_sm))),
        round_(1) {
    for (std::size_t layer = 0; layer + 1 < begins_.size(); ++layer)
      widest_ = std::max(widest_, begins_[layer + 1] - begins_[layer]);
  }
  launch_shape shape_of(unsigned blocks) const {
    return {.blocks = blocks,
            .threads_per_block = config().threads_per_block,
            .shared_bytes = shared_bytes_};
  }

  std::vector<std::uint32_t> begins_;
  std::size_t shared_bytes_;  // as above: asked once
  unsigned widest_ = 1;
  buffer<std::uint32_t> round_;
};

class launched_layers final : public layer_kernels<after_the_end> {
 public:
  using layer_kernels::layer_kernels;

  void launch() override {
    const stream on;
    for (unsigned round = 0; round < config().rounds; ++round) queue_replay(on);
  }
};

template <class Link>
class layers_in_graph final : public layer_kernels<Link> {
 public:
  explicit layers_in_graph(const run_config& config) : layer_kernels<Link>(config) {
    this->queue_replay(replay_);
  }

  void launch() override {
    for (unsigned round = 0; round < this->config().rounds; ++round) replay_.launch();
  }

 private:
  launch_graph replay_{stream(), Link::order};
};

}  // namespace

std::unique_ptr<bench::experiment> make_launches(const run_config& config) {
  return std::make_unique<launched_layers>(config);
}
std::unique_ptr<bench::experiment> make_graph_relaunch(const run_config& config) {
  return std::make_unique<layers_in_graph<after_the_end>>(config);
}
std::unique_ptr<bench::experiment> make_dependent_launch(const run_config& config) {
  return std::make_unique<layers_in_graph<overlapping<releases::early>>>(config);
}
std::unique_ptr<bench::experiment> make_dependent_late(const run_config& config) {
  return std::make_unique<layers_in_graph<overlapping<releases::late>>>(config);
}

}  // namespace finesync::taskgraph
