// What the experiments on several GPUs share: the grids, and the verification of a run.
#pragma once

#include "exchange.cuh"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/symmetric_memory.cuh>
#include <workloads/barrier/litmus.cuh>
#include <workloads/barrier/run_config.hpp>
#include <workloads/common/gpus_launch.cuh>

#include <cstdint>
#include <span>
#include <vector>

namespace finesync::barrier {

/// The GPUs of a configuration. \throws bench::infeasible for what barriers of several GPUs do
/// not have, and if the engine has another number of GPUs.
peers gpus_of(const run_config& config);

class gpus_grids : public bench::experiment {
 public:
  gpus_grids(const run_config& config, peers all, const launch_shape& shape);

  void reset() override;
  const stream* timed_stream() const override { return launch_.timed_stream(); }
  bench::outcome verify() override;
  std::string unverified() const override;
  bench::parameters effective_parameters() const override;
  double operations() const override { return config_.rounds; }

 protected:
  /// Runs rounds with these words in between.
  virtual void start_exchange(unsigned rounds) = 0;
  /// Runs the litmus test over config().litmus.rounds rounds.
  virtual void start_litmus(bool skewed) = 0;

  const run_config& config() const { return config_; }
  const peers& all() const { return launch_.all(); }
  watchdog_ref timeout(unsigned me) const { return launch_.timeout(me); }
  cell<std::uint32_t>* left_over(unsigned me) const {
    return left_over_[me - all().first()].device_data();
  }
  gpus_exchange exchange(unsigned me) const { return gpus_exchange(exchanged_.view(me)); }
  litmus_on<gpus_litmus_words> litmus_of(unsigned me, bool skewed) const {
    return {{litmus_words_.view(me), litmus_stride_},
            early_[me - all().first()].device_data(),
            config_.litmus.stores,
            skewed};
  }

  template <class Kernel, class ArgumentsOf>
  void start_on_all(Kernel* kernel, const ArgumentsOf& arguments_of) const {
    launch_.start(kernel, arguments_of);
  }

 private:
  bench::outcome ending(unsigned rounds);
  bench::outcome verify_exchange();
  bench::outcome verify_litmus(bool skewed);

  run_config config_;
  workload::gpus_launch launch_;
  std::vector<buffer<std::uint32_t>> left_over_;
  symmetric_memory exchanged_;
  std::size_t litmus_stride_;
  symmetric_memory litmus_words_;
  std::vector<buffer<std::uint64_t>> early_;
};

}  // namespace finesync::barrier
