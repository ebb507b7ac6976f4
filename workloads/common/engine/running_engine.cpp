#include "running_engine.hpp"

#include "peers_of.hpp"

#include <bench/sweep.hpp>
#include <bench/usage_error.hpp>
#include <finesync/host/error.cuh>
#include <finesync/host/stream.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace finesync::workload {

namespace {

struct {
  const engine_processes* processes = nullptr;
  int device = 0;
} running;
int errors = STDERR_FILENO;  // where a line is seen, also of a process that is silent

/// What fails in all processes alike passes; anything else ends them, as the others would wait.
template <class Action>
auto by_all(const engine_processes& all, Action action) {
  try {
    return action();
  } catch (const bench::infeasible&) {
    throw;
  } catch (const launch_error&) {
    throw;
  } catch (const std::exception& problem) {
    std::string line = problem.what();
    std::replace(line.begin(), line.end(), '\n', ' ');
    dprintf(errors, "process %u: error: %s\n", all.gpus->group().rank(), line.c_str());
    all.end_all();
    throw;
  }
}

class experiment_of_all final : public bench::experiment {
 public:
  experiment_of_all(engine_processes all, std::unique_ptr<bench::experiment> own)
      : all_(std::move(all)), own_(std::move(own)) {}

  void reset() override {
    by_all(all_, [&] { own_->reset(); });
  }
  void launch() override {
    by_all(all_, [&] { own_->launch(); });
  }
  bench::outcome verify() override {
    return by_all(all_, [&] { return own_->verify(); });
  }
  bench::counters measure() override {
    return by_all(all_, [&] { return own_->measure(); });
  }
  std::string unverified() const override { return own_->unverified(); }
  bench::exact_results computed() const override { return own_->computed(); }
  bench::parameters effective_parameters() const override { return own_->effective_parameters(); }
  double operations() const override { return own_->operations(); }

 private:
  engine_processes all_;
  std::unique_ptr<bench::experiment> own_;
};

/// Tells why any of the GPUs is throttled, so that all processes repeat a sample.
class monitor_of_all final : public bench::gpu_monitor {
 public:
  monitor_of_all(engine_processes all, std::unique_ptr<bench::gpu_monitor> own)
      : all_(std::move(all)), own_(std::move(own)) {}

  bench::parameters card() override { return own_->card(); }
  bench::gpu_state state() override {
    bench::gpu_state state = own_->state();
    std::vector<char> lines;
    for (const std::string& reason : std::exchange(state.throttled_by, {})) {
      lines.insert(lines.end(), reason.begin(), reason.end());
      lines.push_back('\n');
    }
    for (const std::vector<char>& of_one : gather_lists(all_.gpus->group(), lines)) {
      for (auto begin = of_one.begin(); begin != of_one.end();) {
        const auto end = std::find(begin, of_one.end(), '\n');
        const std::string reason(begin, end);
        if (std::find(state.throttled_by.begin(), state.throttled_by.end(), reason) ==
            state.throttled_by.end())
          state.throttled_by.push_back(reason);
        begin = end + 1;
      }
    }
    return state;
  }

 private:
  engine_processes all_;
  std::unique_ptr<bench::gpu_monitor> own_;
};

/// What the words of a command line give for --engine; empty if they do not.
std::string asked_engine(const std::vector<std::string>& words) {
  const std::string_view option = "--engine";
  std::string asked;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view given = words[i];
    if (!given.starts_with(option)) continue;
    given.remove_prefix(option.size());
    if (given.empty() && i + 1 < words.size())
      asked = words[i + 1];
    else if (given.starts_with('='))
      asked = given.substr(1);
  }
  return asked;
}

void send_to_nowhere(int descriptor) {
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, descriptor);
  close(nowhere);
}

/// For each process but the first.
void be_silent(std::vector<std::string>& words) {
  std::erase_if(words,
                [](const std::string& word) { return word.starts_with("--benchmark_out="); });
  unsetenv("BENCHMARK_OUT");
  send_to_nowhere(STDOUT_FILENO);
  errors = dup(STDERR_FILENO);
  send_to_nowhere(STDERR_FILENO);
}

}  // namespace

void refuse_engine(const std::string& library, const std::string& why) {
  throw bench::usage_error("--engine: this build has no " + library + ", use --engine peers (" +
                           why + ")");
}

running_engine::running_engine(std::vector<std::string>& words) {
  const std::string asked = asked_engine(words);
  if (asked == "nccl")
    processes_ = start_nccl();
  else if (asked == "nvshmem")
    processes_ = start_nvshmem();
  else
    return;
  begin();
  if (processes_.gpus->group().rank() != 0) be_silent(words);
}

running_engine::running_engine(engine_processes started) : processes_(std::move(started)) {
  begin();
}

running_engine::~running_engine() {
  running = {};
}

void running_engine::begin() {
  running = {&processes_, current_device()};
}

bench::axis running_engine::axis() {
  return bench::named_axis("engine",
                           "how GPUs reach each other's memory: peer access within one process; "
                           "windows of NCCL, or memory of NVSHMEM, with a process per GPU that MPI "
                           "starts",
                           {"peers", "nccl", "nvshmem"});
}

bench::machine_interface running_engine::machine(bench::machine_interface own) const {
  if (!processes_.gpus) return own;
  const engine_processes& all = processes_;
  own.time = [all, time = own.time](const stream* on, const std::function<void()>& queue_work) {
    return by_all(all, [&] {
      meet(all.gpus->group());
      const double seconds = time(on, queue_work);
      const std::vector<double> of_all =
          gather(all.gpus->group(), std::span<const double>(&seconds, 1));
      return *std::max_element(of_all.begin(), of_all.end());
    });
  };
  if (!own.monitor) return own;
  own.monitor = [all, monitor = own.monitor]() -> std::unique_ptr<bench::gpu_monitor> {
    std::unique_ptr<bench::gpu_monitor> watched;
    std::string problem;
    try {
      watched = monitor();
    } catch (const std::exception& why) {
      problem = why.what();
    }
    const std::vector<char> mine(problem.begin(), problem.end());
    for (const std::vector<char>& one : gather_lists(all.gpus->group(), mine))
      if (!one.empty()) throw std::runtime_error(std::string(one.begin(), one.end()));
    if (!watched) return nullptr;
    return std::make_unique<monitor_of_all>(all, std::move(watched));
  };
  return own;
}

experiment_guard running_engine::guard() const {
  if (!processes_.gpus) return {};
  return [all = processes_](const std::function<std::unique_ptr<bench::experiment>()>& make)
             -> std::unique_ptr<bench::experiment> {
    return std::make_unique<experiment_of_all>(all, by_all(all, make));
  };
}

peers peers_of(engine_kind engine, unsigned gpus) {
  if (engine == engine_kind::peers) return peers::in_turns(gpus);
  if (running.processes == nullptr)
    throw bench::infeasible("an engine of several processes goes without another engine");
  const unsigned there = running.processes->gpus->group().size();
  if (there != gpus)
    throw bench::infeasible("--gpus " + std::to_string(gpus) +
                            " needs as many processes, and MPI has started " +
                            std::to_string(there));
  if (current_device() != running.device)
    throw bench::infeasible(
        "--device: with an engine of several processes each has a device of its own");
  return peers(running.processes->gpus);
}

int main_with_engine(const char* program, int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& problem) {
    bench::print_error(program, problem.what());
    return 2;
  }
}

}  // namespace finesync::workload
