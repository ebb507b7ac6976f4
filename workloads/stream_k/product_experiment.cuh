// The experiment: products with a fix-up, see fixups.cuh.
#pragma once

#include "even_split.hpp"
#include "fixups.cuh"
#include "multiply.cuh"
#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace finesync::stream_k {

/// Whole numbers from -largest to largest.
inline std::vector<float> small_numbers(std::size_t count, int largest, std::uint32_t seed) {
  std::vector<float> numbers(count);
  for (float& each : numbers) {
    seed = seed * 1664525u + 1013904223u;
    each = static_cast<float>(static_cast<int>((seed >> 16) % (2u * largest + 1)) - largest);
  }
  return numbers;
}

template <class Fixup>
class product_experiment final : public bench::experiment {
  static constexpr int largest_left = 2;
  static constexpr int largest_right = 3;

 public:
  explicit product_experiment(const run_config& config)
      : config_(config),
        shape_{.blocks = config.blocks_per_sm * static_cast<unsigned>(current_gpu().sms),
               .threads_per_block = config.threads_per_block},
        split_(checked_split(config, shape_.blocks)),
        columns_(std::size_t{columns_per_thread} * config.threads_per_block),
        left_(split_.steps()),
        right_(split_.depth * columns_),
        out_(config.rounds * split_.tiles * columns_),
        fixup_(split_, config.threads_per_block) {
    const std::vector<float> left = small_numbers(left_.size(), largest_left, 1);
    const std::vector<float> right = small_numbers(right_.size(), largest_right, 2);
    left_.keep_copy_of(left);
    right_.keep_copy_of(right);
    set_expected(left, right);
  }

  void reset() override {
    out_.fill_bytes(0);
    fixup_.reset();
    watchdog_.reset();
  }

  void launch() override {
    for (std::uint32_t round = 1; round <= config_.rounds; ++round)
      launch_cooperative(multiply<Fixup>, shape_, product_of(round), fixup_.ref(), watchdog_.ref());
  }

  bench::outcome verify() override {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    const std::vector<float> found = out_.to_host();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto round = static_cast<float>(i / expected_.size() + 1);
      wrong += found[i] != round * expected_[i % expected_.size()];
    }
    return workload::wrong_unless(wrong == 0, std::to_string(wrong) + " of " +
                                                  std::to_string(found.size()) +
                                                  " sums of products are wrong");
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    unsigned cut = 0;
    for (unsigned tile = 0; tile < split_.tiles; ++tile)
      cut += !split_.piece_before(split_.block_of(tile * split_.depth), tile * split_.depth + 1)
                  .is_whole_tile();
    workload::add_parameter(effective, "cut_tiles", cut);
    return effective;
  }

  double operations() const override { return config_.rounds; }

 private:
  static even_split checked_split(const run_config& config, unsigned blocks) {
    const even_split split{config.tiles, config.depth, blocks};
    if (split.steps() < blocks)
      throw bench::infeasible("each block needs a step: more tiles, or deeper ones");
    if (std::uint64_t{config.depth} * config.rounds * largest_left * largest_right > 1u << 24)
      throw bench::infeasible("sums would not be exact: fewer rounds, or a smaller depth");
    return split;
  }

  product product_of(std::uint32_t round) const {
    return {.split = split_,
            .left = left_.device_data(),
            .right = {right_.device_data()},
            .out = {out_.device_data() + (round - 1) * expected_.size()},
            .round = round};
  }

  /// The product of the first round.
  void set_expected(const std::vector<float>& left, const std::vector<float>& right) {
    expected_.resize(split_.tiles * columns_);
    for (unsigned tile = 0; tile < split_.tiles; ++tile)
      for (unsigned k = 0; k < split_.depth; ++k)
        for (std::size_t column = 0; column < columns_; ++column)
          expected_[tile * columns_ + column] +=
              left[tile * split_.depth + k] * right[k * columns_ + column];
  }

  run_config config_;
  launch_shape shape_;
  even_split split_;
  std::size_t columns_;
  buffer<float> left_;
  buffer<float> right_;
  buffer<float> out_;  ///< of each round
  std::vector<float> expected_;
  Fixup fixup_;
  watchdog watchdog_;
};

}  // namespace finesync::stream_k
