// SPDX-License-Identifier: Apache-2.0
// The runs of a program, one per schedule.
#pragma once

#include <check/process.hpp>
#include <cudart/findings.hpp>
#include <cudart/settings.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace check {

/// What to run, and how.
struct request {
  std::vector<std::string> command;  ///< the program, then its arguments
  cudart::run_settings settings;     ///< of each run, but for the schedule and the seed
  /// Round robin once, then random schedules; or else the schedule of `settings` in each run.
  bool all_schedules = true;
  std::uint64_t first_seed = 1;
  unsigned runs = 10;
  unsigned at_once = 1;
  unsigned seconds_per_run = 60;
  bool stops_at_first = false;  ///< with the first finding of the first run that has one
};

/// How a run ended.
enum class ending {
  exited,
  killed_by_signal,
  out_of_time,    ///< killed after request::seconds_per_run
  out_of_memory,  ///< killed before it had taken all of the computer's
  stopped,        ///< at the first finding
};

struct finished_run {
  simt::schedule_kind schedule = simt::schedule_kind::round_robin;
  std::uint64_t seed = 1;
  ending end = ending::exited;
  int status = 0;  ///< its exit status, or the signal
  std::vector<cudart::finding> findings;
  std::string lacks;  ///< see cudart::run_report
};

/// Whether what is not supported, or not there, ended the run.
bool is_refused(const finished_run& run);

/// The schedule and the seed of the run with this number, from 1.
struct planned_run {
  simt::schedule_kind schedule = simt::schedule_kind::round_robin;
  std::uint64_t seed = 1;
};
planned_run planned(const request& what, unsigned number);

/// The folder of the replacements of the CUDA runtime.
/// \throws std::runtime_error if one is missing: a program would take CUDA's own.
std::string runtime_folder();

/// What a run has besides this process's variables.
environment environment_of(const cudart::run_settings& how);

/// Who watches the runs.
struct watcher {
  /// A run has reported this. \returns whether it is a finding to stop at.
  std::function<bool(unsigned number, const cudart::finding& what)> on_report;
  /// Ten times a second or more. \param ended how many of them
  std::function<void(unsigned ended)> on_progress;
};

/// Runs the program `runs` times, `at_once` of them side by side. Its input is empty. Its output is
/// shown in the first run. If one was refused something, none after it counts; if interrupted, none
/// after the first that had not ended. It stops with the first finding of the first run that has
/// one, whichever comes first.
/// \throws std::runtime_error if the program cannot be started, or the process of a run is ended
/// by others.
std::vector<finished_run> run_all(const request& what, const watcher& by);

}  // namespace check
