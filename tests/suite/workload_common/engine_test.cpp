// A program of two processes, seen from the first; the other one is made up.
#include <bench/machine_interface.hpp>
#include <bench/usage_error.hpp>
#include <finesync/host/error.cuh>
#include <finesync/host/gpu_processes.hpp>
#include <workloads/common/engine/peers_of.hpp>
#include <workloads/common/engine/running_engine.hpp>

#include <gtest/gtest.h>
#include <tests/refusal.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace finesync::workload {
namespace engine_test {
namespace {

/// The other process says what a test has written down, and otherwise the same as this one.
class beside_another final : public process_group {
 public:
  unsigned rank() const override { return 0; }
  unsigned size() const override { return 2; }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    std::vector<std::byte> other(mine.begin(), mine.end());
    if (!answers.empty()) {
      other = answers.front();
      answers.pop_front();
    }
    ASSERT_EQ(other.size(), mine.size());
    std::copy(mine.begin(), mine.end(), all.begin());
    std::copy(other.begin(), other.end(), all.begin() + static_cast<std::ptrdiff_t>(mine.size()));
  }
  template <class T>
  void answer(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    answers.emplace_back(bytes.begin(), bytes.end());
  }

  mutable std::deque<std::vector<std::byte>> answers;
};

class fake_processes final : public gpu_processes {
 public:
  const process_group& group() const override { return others; }
  std::unique_ptr<pieces_of_processes> allocate(std::size_t) const override { return nullptr; }

  beside_another others;
};

class engine_of_two_processes : public ::testing::Test {
 protected:
  std::shared_ptr<fake_processes> gpus = std::make_shared<fake_processes>();
  bool ended = false;
  running_engine engine{engine_processes{gpus, [this] { ended = true; }}};
};

std::string refusal_of(engine_kind kind, unsigned number) {
  return test::refusal_of<bench::infeasible>([&] { peers_of(kind, number); });
}

TEST_F(engine_of_two_processes, takes_the_time_of_the_slowest) {
  bench::machine_interface own;
  own.time = [](const stream*, const std::function<void()>& work) {
    work();
    return 2.0;
  };
  const bench::machine_interface machine = engine.machine(own);
  const std::byte here{};
  for (const double other : {1.5, 2.5}) {
    gpus->others.answer(std::span(&here, 1));
    gpus->others.answer(std::span(&other, 1));
    EXPECT_EQ(machine.time(nullptr, [] {}), std::max(2.0, other));
  }
}

class cool final : public bench::gpu_monitor {
 public:
  bench::parameters card() override { return {}; }
  bench::gpu_state state() override { return {}; }
};

TEST_F(engine_of_two_processes, is_throttled_where_one_gpu_is) {
  bench::machine_interface own;
  own.monitor = [] { return std::make_unique<cool>(); };
  const auto monitor = engine.machine(own).monitor();
  EXPECT_TRUE(monitor->state().throttled_by.empty());
  const std::string reason = "hot\n";
  const std::size_t length = reason.size();
  gpus->others.answer(std::span(&length, 1));
  gpus->others.answer(std::span<const char>(reason));
  EXPECT_EQ(monitor->state().throttled_by, std::vector<std::string>{"hot"});
}

TEST_F(engine_of_two_processes, ends_if_one_of_them_fails_alone) {
  const experiment_guard guard = engine.guard();
  const auto make = [](auto problem) {
    return [problem]() -> std::unique_ptr<bench::experiment> { throw problem; };
  };
  EXPECT_THROW(guard(make(bench::infeasible("no"))), bench::infeasible);
  EXPECT_THROW(guard(make(launch_error("too many"))), launch_error);
  EXPECT_FALSE(ended) << "the others do not fail";
  EXPECT_THROW(guard(make(std::runtime_error("lost"))), std::runtime_error);
  EXPECT_TRUE(ended);
}

TEST_F(engine_of_two_processes, has_as_many_gpus) {
  EXPECT_EQ(peers_of(engine_kind::nccl, 2).size(), 2u);
  EXPECT_EQ(refusal_of(engine_kind::nccl, 3),
            "--gpus 3 needs as many processes, and MPI has started 2");
  const device_guard elsewhere(1);
  EXPECT_NE(refusal_of(engine_kind::nccl, 2).find("--device"), std::string::npos);
}

TEST(engine, of_processes_is_refused_where_none_have_started) {
  EXPECT_EQ(refusal_of(engine_kind::nccl, 2),
            "an engine of several processes goes without another engine");
  EXPECT_EQ(peers_of(engine_kind::peers, 2).streams().size(), 2u);
}

TEST(engine, leaves_one_process_as_it_is) {
  std::vector<std::string> words{"barrier", "--engine", "peers", "--benchmark_out=x"};
  const running_engine engine(words);
  EXPECT_EQ(words.size(), 4u);
  EXPECT_FALSE(engine.guard());
}

TEST(engine, says_what_is_missing_in_one_line) {
  const auto refusal = [](std::vector<std::string> words) -> std::string {
    return test::refusal_of<bench::usage_error>([&] { const running_engine engine(words); });
  };
  const auto lacks = [](const std::string& library) {
    return "--engine: this build has no " + library +
           ", use --engine peers (it runs kernels on the host)";
  };
  EXPECT_EQ(refusal({"barrier", "--engine", "nccl"}), lacks("NCCL"));
  EXPECT_EQ(refusal({"barrier", "--engine=nccl"}), lacks("NCCL"));
  EXPECT_EQ(refusal({"barrier", "--engine", "nvshmem"}), lacks("NVSHMEM"));
}

}  // namespace
}  // namespace engine_test
}  // namespace finesync::workload
