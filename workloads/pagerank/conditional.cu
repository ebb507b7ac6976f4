// The end of a kernel as the barrier: a CUDA graph with a loop, whose body is a round and a kernel
// of one thread that decides whether another one follows.
#include "ranking_experiment.cuh"

#include <finesync/host/error.cuh>
#include <workloads/common/grid.cuh>

#include <memory>

namespace finesync::pagerank {

#if CUDART_VERSION >= 12040

namespace {

__global__ void __maxnreg__(32) start_ranks(ranking_ref ranking, cell<std::uint32_t>* round) {
  put_first_ranks(ranking);
  if (blockIdx.x == 0 && threadIdx.x == 0) *round = 1;
}

__global__ void __maxnreg__(32) rank_next(ranking_ref ranking, const cell<std::uint32_t>* round) {
  const unsigned now = *round;
  vote(ranking, now, rank_round(ranking, now).run(shared_storage<block_memory>()));
}

/// By one thread.
__global__ void decide(ranking_ref ranking, cell<std::uint32_t>* round,
                       cudaGraphConditionalHandle loop) {
  const unsigned now = *round;
  cudaGraphSetConditional(loop, goes_on(ranking, now) && now < ranking.most_rounds);
  *round = now + 1;
}

/// A CUDA graph; kernels are appended to it or to the body of its loop.
class loop_graph {
 public:
  loop_graph() {
    check_cuda(cudaGraphCreate(&graph_, 0));
    constexpr unsigned runs_at_first = 1;
    check_cuda(cudaGraphConditionalHandleCreate(&loop_, graph_, runs_at_first,
                                                cudaGraphCondAssignDefault));
  }
  ~loop_graph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }
  loop_graph(const loop_graph&) = delete;
  loop_graph& operator=(const loop_graph&) = delete;

  cudaGraphConditionalHandle loop() const { return loop_; }

  /// Behind the kernels so far comes the loop, and kernels are appended to its body from now on.
  void begin_loop() {
    cudaGraphNodeParams node{};
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = loop_;
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 1;
    cudaGraphNode_t made = nullptr;
#if CUDART_VERSION >= 13000
    check_cuda(cudaGraphAddNode(&made, graph_, &last_, nullptr, 1, &node));
#else
    check_cuda(cudaGraphAddNode(&made, graph_, &last_, 1, &node));
#endif
    open_ = node.conditional.phGraph_out[0];
    last_ = nullptr;
  }

  template <class... Parameters>
  void append(void (*kernel)(Parameters...), const launch_shape& shape, Parameters... arguments) {
    void* addresses[] = {&arguments...};
    cudaKernelNodeParams node{};
    node.func = reinterpret_cast<void*>(kernel);
    node.gridDim = shape.blocks;
    node.blockDim = shape.threads_per_block;
    node.sharedMemBytes = static_cast<unsigned>(shape.shared_bytes);
    node.kernelParams = addresses;
    const cudaGraphNode_t before = last_;
    check_cuda(cudaGraphAddKernelNode(&last_, open_ == nullptr ? graph_ : open_, &before,
                                      before == nullptr ? 0 : 1, &node));
  }

  void launch() {
    if (executable_ == nullptr) check_cuda(cudaGraphInstantiate(&executable_, graph_, 0));
    check_cuda(cudaGraphLaunch(executable_, stream().handle()));
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraph_t open_ = nullptr;  ///< the body of the loop
  cudaGraphExec_t executable_ = nullptr;
  cudaGraphNode_t last_ = nullptr;
  cudaGraphConditionalHandle loop_{};
};

class conditional_experiment final : public ranking_experiment {
 public:
  explicit conditional_experiment(const run_config& config)
      : ranking_experiment(config, workload::grid_for(config, sizeof(block_memory), rank_next)),
        round_(1) {
    cell<std::uint32_t>* const round = round_.device_data();
    rounds_.append(start_ranks, shape(), ranking(), round);
    rounds_.begin_loop();
    rounds_.append(rank_next, shape(), ranking(), static_cast<const cell<std::uint32_t>*>(round));
    rounds_.append(decide, {.blocks = 1, .threads_per_block = 1}, ranking(), round, rounds_.loop());
  }

  void launch() override { rounds_.launch(); }

 private:
  buffer<std::uint32_t> round_;
  loop_graph rounds_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_graph_conditional(const run_config& config) {
  return std::make_unique<conditional_experiment>(config);
}

#else

std::unique_ptr<bench::experiment> make_graph_conditional(const run_config& /*config*/) {
  throw bench::infeasible("loops in CUDA graphs need CUDA 12.4");
}

#endif

}  // namespace finesync::pagerank
