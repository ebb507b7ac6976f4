// What programs make of trials: primitives for the harness.
#pragma once

#include <bench/experiment.hpp>
#include <workloads/contest/trial.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace finesync::contest {

class trial_experiment final : public bench::experiment {
 public:
  trial_experiment(std::unique_ptr<trial> which, nlohmann::json inputs)
      : trial_(std::move(which)), inputs_(std::move(inputs)) {}

  void reset() override { trial_->reset(); }
  void launch() override { trial_->launch(); }
  bench::verdict verify() override {
    const outcome ended = trial_->check();
    if (ended.gave_up) return {bench::status::livelock, ended.detail};
    if (!ended.correct) return {bench::status::wrong, ended.detail};
    return {};
  }
  bench::counters measure() override { return trial_->watch(); }
  double items() const override { return trial_->operations(); }
  nlohmann::json inputs() const override { return inputs_; }

 private:
  std::unique_ptr<trial> trial_;
  nlohmann::json inputs_;
};

/// \param make_at what it throws as std::invalid_argument makes the point infeasible.
/// \param inputs see bench::experiment.
inline bench::primitive competitor(
    std::string name, std::string help,
    std::function<std::unique_ptr<trial>(const bench::point&)> make_at,
    std::vector<std::string> tunable = {}, const nlohmann::json& inputs = {}) {
  const auto make = [make_at = std::move(make_at),
                     inputs](const bench::point& at) -> std::unique_ptr<bench::experiment> {
    try {
      return std::make_unique<trial_experiment>(make_at(at), inputs);
    } catch (const std::invalid_argument& problem) {
      throw bench::infeasible(problem.what());
    }
  };
  return {std::move(name), std::move(help), make, std::move(tunable)};
}

}  // namespace finesync::contest
