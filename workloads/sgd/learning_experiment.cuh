// The common part of this program's experiments: ratings, vectors, verification, grid, watchdog.
#pragma once

#include "model.hpp"
#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace finesync::sgd {

/// Whether a primitive guarantees that no step is lost.
enum class update_guarantee { every_update, nothing };

template <unsigned Features>
class learning_experiment : public bench::experiment {
 public:
  learning_experiment(const run_config& config, const launch_shape& shape,
                      update_guarantee given = update_guarantee::every_update)
      : given_(given),
        epochs_(config.problem.epochs),
        section_work_(config.section_work),
        shape_(shape),
        model_(data_set_of(config.problem), config.problem.features),
        zeros_(data().values().size()),
        ratings_(data().ref()) {
    zeros_.fill_bytes(0);
    zeros_.keep();
  }

  void reset() final {
    watchdog_.reset();
    model_.begin_learning();
    begin();
  }
  void launch() final {
    for (unsigned epoch = 0; epoch < epochs_; ++epoch) start(model_.template ref<float>());
  }
  bench::outcome verify() final {
    bench::outcome found = verify_learning();
    if (found.ok() && given_ == update_guarantee::every_update)
      found =
          verify_shrinking([this](const model_ref<float, Features>& vectors) { start(vectors); });
    if (!found.ok() || counted_) return found;
    counted_ = true;
    return verify_counting();
  }
  std::string unverified() const final {
    return given_ == update_guarantee::nothing ? ""
                                               : "lost steps, by a run of the same kernel after "
                                                 "each, in which vectors only shrink, "
                                                 "and a first one that counts";
  }
  bench::counters measure() override {
    bench::counters found{{"rmse", rmse_}, {"sequential_rmse", sequential_rmse()}};
    if (given_ == update_guarantee::nothing) found["lost_update_fraction"] = share_lost_;
    return found;
  }
  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    const data_set& data = *model_.data();
    workload::add_parameter(effective, "features", model_.learned());
    workload::add_parameter(effective, "padded_features", Features);
    workload::add_parameter(effective, "ratings", data.number());
    workload::add_parameter(effective, "users", data.users());
    workload::add_parameter(effective, "movies", data.movies());
    workload::add_parameter(effective, "max_ratings_per_user", data.most_of_user());
    workload::add_parameter(effective, "max_ratings_per_movie", data.most_of_movie());
    return effective;
  }
  double operations() const final { return static_cast<double>(model_.data()->number()) * epochs_; }

 protected:
  /// Frees every lock and resets every event count.
  virtual void begin() {}
  /// Queues an epoch.
  virtual void start(const model_ref<float, Features>& vectors) = 0;
  virtual void start(const model_ref<std::uint32_t, Features>& vectors) = 0;

  /// Ratings in a serial order that is equivalent to the parallel run, except for neighbours; and a
  /// name of the order, equal only for equal orders.
  virtual std::vector<std::uint64_t> order() const { return data().ratings().to_host(); }
  virtual std::string name_of_order() const { return "of the input"; }

  /// An epoch of the learning kernel whose steps commute: see model::begin_shrinking().
  /// \param queue queues the epoch.
  template <class Queue>
  bench::outcome verify_shrinking(Queue queue) {
    model_.begin_shrinking();
    begin();
    ratings_.values = zeros_.device_data();
    verifying_ = true;
    queue(model_.template ref<float>());
    stream().synchronize();
    verifying_ = false;
    ratings_ = data().ref();
    if (const auto given_up = watchdog_.report()) return workload::timed_out(*given_up);
    const std::uint32_t wrong = model_.shrunk_otherwise();
    return workload::wrong_unless(
        wrong == 0, std::to_string(wrong) + " vectors have not taken every step of learning once");
  }

  /// Arithmetic to add to each section (common/arithmetic.cuh). A loop is short while its kernel is
  /// only verified: the epoch of a large input would take seconds.
  std::uint32_t section_work() const {
    return verifying_ ? std::min(section_work_, 1u) : section_work_;
  }
  /// What kernels read.
  const ratings_ref& ratings() const { return ratings_; }

  const launch_shape& shape() const { return shape_; }
  watchdog_ref timeout() const { return watchdog_.ref(); }
  const data_set& data() const { return *model_.data(); }

 private:
  bench::outcome verify_learning() {
    stream().synchronize();
    if (const auto given_up = watchdog_.report()) return workload::timed_out(*given_up);
    rmse_ = model_.rmse();
    const std::string after = " after " + std::to_string(epochs_) + " epochs";
    if (!std::isfinite(rmse_)) return {bench::status::error, "learning has diverged" + after};
    if (const std::uint32_t wrong = model_.padded_otherwise())
      return {bench::status::wrong,
              std::to_string(wrong) + " vectors have learned in their padding" + after};
    if (given_ == update_guarantee::nothing) return {};
    // With few ratings, their order has an effect of its own.
    const double allowed = 0.01 + 1 / std::sqrt(static_cast<double>(model_.data()->number()));
    const double sequential = sequential_rmse();
    return workload::wrong_unless(std::fabs(rmse_ - sequential) <= allowed * sequential,
                                  "an error of " + std::to_string(rmse_) + after +
                                      ", sequentially " + std::to_string(sequential));
  }
  /// The error after as many sequential epochs; results for the current data set are kept.
  double sequential_rmse() {
    static std::weak_ptr<const data_set> known_of;
    static std::map<std::tuple<std::string, unsigned, unsigned>, double> known;
    if (known_of.lock() != model_.data()) known.clear();
    known_of = model_.data();
    const auto wanted = std::tuple(name_of_order(), model_.learned(), epochs_);
    const auto found = known.find(wanted);
    if (found != known.end()) return found->second;
    model<Features> reference(model_.data(), model_.learned());
    reference.learn_sequentially(order(), epochs_);
    return known[wanted] = reference.rmse();
  }
  bench::outcome verify_counting() {
    model_.begin_counting();
    begin();
    for (unsigned epoch = 0; epoch < epochs_; ++epoch) start(model_.template ref<std::uint32_t>());
    stream().synchronize();
    if (const auto given_up = watchdog_.report()) return workload::timed_out(*given_up);
    if (given_ == update_guarantee::nothing) {
      share_lost_ = model_.share_lost(epochs_);
      return workload::wrong_unless(share_lost_ >= 0, "a vector has counted more than its ratings");
    }
    const std::uint32_t wrong = model_.miscounted(epochs_);
    return workload::wrong_unless(
        wrong == 0, std::to_string(wrong) + " vectors have not counted every rating once");
  }

  update_guarantee given_;
  unsigned epochs_;
  std::uint32_t section_work_;
  bool verifying_ = false;
  launch_shape shape_;
  model<Features> model_;
  buffer<float> zeros_;  ///< a value for each kind
  ratings_ref ratings_;
  double rmse_ = 0;
  double share_lost_ = 0;
  bool counted_ = false;
  watchdog watchdog_;
};

/// The experiment of a template, with the smallest vectors that hold the configured features.
template <template <unsigned Features> class Experiment>
std::unique_ptr<bench::experiment> by_features(const run_config& config) {
  const unsigned features = config.problem.features;
  if (features < 1 || features > most_features)
    throw bench::infeasible("vectors have 1 to " + std::to_string(most_features) + " features");
  if (features <= 16) return std::make_unique<Experiment<16>>(config);
  if (features <= 32) return std::make_unique<Experiment<32>>(config);
  return std::make_unique<Experiment<most_features>>(config);
}

}  // namespace finesync::sgd
