#include "gpus_grids.cuh"

#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/engine/peers_of.hpp>
#include <workloads/common/of_all_gpus.cuh>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace finesync::barrier {

namespace {

/// Between them the words of all blocks are read, so few are enough.
constexpr unsigned exchange_rounds = 10;

std::size_t litmus_stride_for(const peers& all, const launch_shape& shape) {
  return litmus_stride(std::size_t{all.size()} * shape.blocks * shape.threads_per_block);
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

peers gpus_of(const run_config& config) {
  if (config.words_per_thread != 0 || config.local_exchange)
    throw bench::infeasible(
        "barriers of several GPUs have no loads and stores in between: use --ldst 0 "
        "--local-exchange no");
  if (config.threads_per_block < config.gpus)
    throw bench::infeasible("a barrier of several GPUs needs a thread of a block for each");
  return workload::peers_of(config.engine, config.gpus);
}

gpus_grids::gpus_grids(const run_config& config, peers all, const launch_shape& shape)
    : config_(config),
      launch_(std::move(all), shape),
      exchanged_(this->all(), gpus_exchange::words_for(shape)),
      litmus_stride_(litmus_stride_for(this->all(), shape)),
      litmus_words_(this->all(), gpus_litmus_words::words_for(litmus_stride_)) {
  for (const stream& each : this->all().streams()) {
    left_over_.push_back(buffer<std::uint32_t>::zeroed(1, each));
    early_.push_back(buffer<std::uint64_t>::zeroed(1, each));
  }
  this->all().synchronize();
}

void gpus_grids::reset() {
  for (auto& each : left_over_) each.fill_bytes(0);
  launch_.reset();
}

bench::outcome gpus_grids::verify() {
  bench::outcome ended = ending(config_.rounds);
  if (ended.ok()) ended = verify_exchange();
  for (const bool skewed : {false, true})
    if (ended.ok()) ended = verify_litmus(skewed);
  return ended;
}

std::string gpus_grids::unverified() const {
  return "waits, and the order of the last stores before a barrier, by a run with an exchange of "
         "all "
         "blocks and a litmus test after each";
}

bench::outcome gpus_grids::ending(unsigned rounds) {
  bench::outcome ended = launch_.ending();
  if (ended.ok()) return ended;
  const auto left = workload::joined(workload::of_all_gpus(all(), left_over_));
  const std::uint32_t most_left = *std::max_element(left.begin(), left.end());
  ended.details["operations_done"] = static_cast<long long>(rounds - most_left);
  return ended;
}

bench::outcome gpus_grids::verify_exchange() {
  exchanged_.reset();
  start_exchange(exchange_rounds);
  if (bench::outcome ended = ending(exchange_rounds); !ended.ok()) return ended;
  std::vector<std::uint64_t> of_own;
  for (const unsigned gpu : all().own()) of_own.push_back(exchanged_.piece(gpu).to_host()[0]);
  const std::uint64_t wrong = sum_of(all().gather(of_own));
  if (wrong == 0) return {};
  return {bench::status::wrong, "exchange of all blocks of all GPUs: " + std::to_string(wrong) +
                                    " loads after a barrier found another round's value"};
}

bench::outcome gpus_grids::verify_litmus(bool skewed) {
  litmus_words_.reset();
  for (auto& each : early_) each.fill_bytes(0);
  start_litmus(skewed);
  if (bench::outcome ended = ending(config_.litmus.rounds); !ended.ok()) return ended;
  const std::uint64_t early = sum_of(workload::joined(workload::of_all_gpus(all(), early_)));
  if (early == 0) return {};
  return {bench::status::wrong, std::string("litmus test") + (skewed ? ", skewed" : "") + ": " +
                                    std::to_string(early) +
                                    " loads did not find what was stored before the barrier"};
}

bench::parameters gpus_grids::effective_parameters() const {
  bench::parameters effective = launch_.effective_parameters();
  workload::add_parameter(effective, "rounds", config_.rounds);
  return effective;
}

}  // namespace finesync::barrier
