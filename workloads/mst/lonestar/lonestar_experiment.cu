#include "lonestar_experiment.cuh"

#include <finesync/device/numbering.cuh>

#include <algorithm>

namespace finesync::mst {

namespace {

__global__ void list_vertices(std::uint32_t vertices, append_list_ref list) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vertices;
       i += gridDim.x * blockDim.x)
    list.push(i);
}

constexpr auto* unite = unite_components<autotuned_barrier::ref_type>;

/// 8 blocks of 256 threads per SM, or as many as fit: as published.
launch_shape union_shape() {
  const auto sms = static_cast<unsigned>(current_gpu().sms);
  return {.blocks = std::min(8 * sms, max_resident_blocks(unite, 256)), .threads_per_block = 256};
}

}  // namespace

lonestar_experiment::lonestar_experiment(const run_config& config)
    : forest_experiment(config),
      section_work_(config.section_work),
      parents_(graph().vertices()),
      weights_(graph().vertices()),
      levels_(graph().vertices()),
      arcs_(graph().vertices()),
      forest_size_(1),
      vertices_(graph().vertices()),
      next_(graph().vertices()),
      roots_(graph().vertices()),
      failed_(graph().vertices()),
      union_shape_(union_shape()),
      barrier_(union_shape_) {}

void lonestar_experiment::begin() {
  std::vector<std::uint32_t> own(graph().vertices());
  std::iota(own.begin(), own.end(), 0u);
  parents_.copy_from(own);
  levels_.fill_bytes(0);
  forest_size_.fill_bytes(0);
  for (append_list* list : {&vertices_, &next_, &roots_, &failed_}) list->clear();
  barrier_.reset();
}

// The host waits for the GPU after each launch, as published: only the lists tell what is next.
void lonestar_experiment::start() {
  const lonestar_run run{.graph = graph().ref(),
                         .components = {parents_.device_data()},
                         .lightest = {weights_.device_data(), levels_.device_data(),
                                      arcs_.device_data(), section_work_},
                         .forest = {chosen(), forest_size_.device_data()}};
  launch_independent(list_vertices, union_shape_, graph().vertices(), vertices_.ref());
  std::uint32_t edges_before = 0;
  for (std::uint32_t level = 1; vertices_.size() != 0; ++level) {
    start_proposals(run, {vertices_.ref(), next_.ref(), roots_.ref()}, level);
    do {
      launch_cooperative(unite, union_shape_, run, std::uint32_t{level}, roots_.ref(),
                         failed_.ref(), barrier_.ref(), timeout());
      std::swap(roots_, failed_);
      failed_.clear();
    } while (roots_.size() != 0);
    std::swap(vertices_, next_);
    next_.clear();
    const std::uint32_t edges = forest_size_.to_host()[0];
    if (edges == edges_before) return;
    edges_before = edges;
  }
}

}  // namespace finesync::mst
