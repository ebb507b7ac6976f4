// A program with --engine: in one process, or in one per GPU that act as one program. These run the
// same points and decide alike: a time is that of the slowest, a run is right if it is in all of
// them, and a failure of one ends all. Only the first prints and writes results.
#pragma once

#include <bench/axis.hpp>
#include <bench/experiment.hpp>
#include <bench/machine_interface.hpp>
#include <finesync/host/gpu_processes.hpp>
#include <workloads/common/primitives.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace finesync::workload {

/// The processes of an engine.
struct engine_processes {
  std::shared_ptr<const gpu_processes> gpus = {};
  /// Ends all processes at once, after a failure that only this one has seen.
  std::function<void()> end_all = {};
};

/// Start a library in this process, with a device of its own. \throws bench::usage_error if this
/// build or this machine cannot.
engine_processes start_nccl();
engine_processes start_nvshmem();

/// \throws bench::usage_error that this build lacks a library, and why.
[[noreturn]] void refuse_engine(const std::string& library, const std::string& why);

/// At most one at a time; peers_of() has its GPUs.
class running_engine {
 public:
  /// Starts what a command line asks for. \param words lose the options of results in all processes
  /// but the first. \throws bench::usage_error if the engine is not there.
  explicit running_engine(std::vector<std::string>& words);
  /// For tests.
  explicit running_engine(engine_processes started);
  ~running_engine();
  running_engine(const running_engine&) = delete;
  running_engine& operator=(const running_engine&) = delete;

  static bench::axis axis();

  /// The machine of this process, with the times and limits of all.
  bench::machine_interface machine(bench::machine_interface own) const;
  /// For what all processes do together.
  experiment_guard guard() const;

 private:
  void begin();

  engine_processes processes_;
};

/// main() of a program with an engine. \returns what `run` does; 2, after a line that says why, if
/// it throws.
int main_with_engine(const char* program, int (*run)(int, char**), int argc, char** argv);

}  // namespace finesync::workload
