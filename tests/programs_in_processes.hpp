// Experiments of two processes with a GPU each, as --engine nccl makes them. Their launches run one
// after the other, so none may wait for another GPU's blocks.
#pragma once

#include <bench/experiment.hpp>
#include <workloads/common/engine/running_engine.hpp>

#include <gtest/gtest.h>
#include <tests/processes_of_gpus.hpp>

#include <array>
#include <memory>
#include <string>

namespace finesync::workload {

class experiment_in_processes {
 public:
  /// \param make makes the experiment of the process that calls it.
  template <class Make>
  explicit experiment_in_processes(const Make& make) {
    everyone_.run([&](unsigned rank) {
      const running_engine engine(
          engine_processes{std::make_shared<test::process_with_gpu>(everyone_, rank), [] {}});
      of_[rank] = make();
    });
  }
  ~experiment_in_processes() {
    everyone_.run([&](unsigned rank) { of_[rank].reset(); });
  }
  experiment_in_processes(const experiment_in_processes&) = delete;
  experiment_in_processes& operator=(const experiment_in_processes&) = delete;

  /// A run in which only these processes do their part. \returns the outcome, which all have.
  bench::outcome ending(unsigned parts = test::processes) {
    std::array<bench::outcome, test::processes> ended;
    everyone_.run([&](unsigned rank) { of_[rank]->reset(); });
    everyone_.run([&](unsigned rank) {
      if (rank < parts) of_[rank]->launch();
    });
    everyone_.run([&](unsigned rank) { ended[rank] = of_[rank]->verify(); });
    EXPECT_EQ(ended[0].reason, ended[1].reason) << "the processes differ";
    EXPECT_TRUE(ended[0].what == ended[1].what) << "the processes differ";
    return ended[0];
  }

 private:
  test::process_turns everyone_;
  std::array<std::unique_ptr<bench::experiment>, test::processes> of_;
};

/// Two runs are right; one in which a GPU does nothing is wrong in all processes.
template <class Make>
void expect_right_in_processes(const Make& make) {
  experiment_in_processes experiment(make);
  for (int run = 0; run < 2; ++run) {
    const bench::outcome ended = experiment.ending();
    EXPECT_TRUE(ended.ok()) << ended.reason;
  }
  EXPECT_TRUE(experiment.ending(1).what == bench::status::wrong);
}

}  // namespace finesync::workload
