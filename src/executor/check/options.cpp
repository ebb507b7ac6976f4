// SPDX-License-Identifier: Apache-2.0
#include <check/options.hpp>
#include <check/program_file.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include <sched.h>

namespace check {

namespace {

template <class Value>
std::vector<std::string> names_in(const std::vector<std::pair<std::string, Value>>& names) {
  std::vector<std::string> all;
  for (const auto& [name, value] : names) all.push_back(name);
  return all;
}

template <class Value>
Value value_of(const std::vector<std::pair<std::string, Value>>& names, const std::string& name) {
  for (const auto& [known, value] : names)
    if (known == name) return value;
  throw CLI::ValidationError(name);
}

/// What was given as text.
struct texts {
  std::string gpu = cudart::run_settings().executor.gpu.name;
  std::string schedule;
  std::string memory = "strong";
  std::string check;
  std::string volatiles = "relaxed";
};

void add_options(CLI::App& app, options& to, texts& given) {
  std::vector<std::string> gpus;
  for (const simt::gpu_model& each : simt::gpu_models()) gpus.push_back(each.name);
  app.add_option("--seeds", to.asked.runs,
                 "runs: the first in round robin, the others in random schedules")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seed", to.asked.first_seed, "the first seed; the next run has the next one")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--schedule", given.schedule, "the schedule of all runs")
      ->check(CLI::IsMember(names_in(cudart::schedules())));
  app.add_option("--memory", given.memory,
                 "weak: what is not ordered may be seen late; races are not looked for then")
      ->check(CLI::IsMember(names_in(cudart::memories())))
      ->capture_default_str();
  app.add_option("--check", given.check, "none: look for failures alone, which is faster")
      ->check(CLI::IsMember(names_in(cudart::checks())));
  app.add_option("--blocks", to.asked.settings.executor.checked_blocks,
                 "look for races in a sample, the first and last blocks of each launch; 0: in all")
      ->capture_default_str();
  app.add_flag("--stop-at-first", to.asked.stops_at_first, "end with the first finding");
  app.add_option("--gpu", given.gpu, "the GPU to model: how many blocks run at once")
      ->check(CLI::IsMember(gpus))
      ->capture_default_str();
  app.add_option("--volatile", given.volatiles,
                 "what volatile accesses are: relaxed atomics, as PTX says, or plain data")
      ->check(CLI::IsMember(names_in(cudart::volatiles())))
      ->capture_default_str();
  app.add_flag("--zeroed-memory", to.asked.settings.zeroed_memory,
               "cudaMalloc gives zeros, for programs that rely on them; else garbage");
  app.add_option("--jobs", to.asked.at_once,
                 "runs at a time; 1 for programs that disturb each other, as by their files")
      ->check(CLI::Range(1, 1024))
      ->default_str("the processors");
  app.add_option("--time-limit", to.asked.seconds_per_run, "seconds for a run")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--root", to.asked.settings.root,
                 "the folder of the sources, from which paths are shown; else the repository\n"
                 "of the current folder, or that folder")
      ->check(CLI::ExistingDirectory);
  app.add_option("--suppressions", to.suppressions,
                 "a file of known findings: a line FILE:LINE [FILE:LINE] [# why] for each");
  app.add_option("--json", to.json, "write the report to this file, too, as JSON");
  app.add_option("--sarif", to.sarif, "and as SARIF, which code hosts show beside the source");
}

/// The nearest folder above with a .git; the current one if there is none.
std::filesystem::path repository() {
  const std::filesystem::path here = std::filesystem::current_path();
  for (auto folder = here;; folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / ".git")) return folder;
    if (folder == folder.root_path()) return here;
  }
}

/// That this process may use.
unsigned processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
}

void take(const texts& given, request& to) {
  std::string& root = to.settings.root;
  root = std::filesystem::canonical(root.empty() ? repository() : std::filesystem::path(root))
             .string();
  simt::settings& executor = to.settings.executor;
  executor.gpu = simt::find_gpu_model(given.gpu);
  executor.memory = value_of(cudart::memories(), given.memory);
  executor.check =
      executor.memory == simt::memory_kind::strong ? simt::checking::races : simt::checking::none;
  if (!given.check.empty()) executor.check = value_of(cudart::checks(), given.check);
  if (executor.memory == simt::memory_kind::weak && executor.check == simt::checking::races)
    throw CLI::ValidationError("--check races", "races are looked for in strong memory only");
  to.settings.volatiles = value_of(cudart::volatiles(), given.volatiles);
  to.all_schedules = given.schedule.empty();
  if (!to.all_schedules) executor.schedule = value_of(cudart::schedules(), given.schedule);
}

}  // namespace

std::optional<options> parse(int argc, char** argv, int& status) {
  options read;
  read.asked.at_once = processors();
  texts given;
  std::vector<std::string> command;
  CLI::App app(
      "Runs a CUDA program on the CPU, its kernels thread by thread as PTX says, and reports data\n"
      "races, deadlocks, bad addresses and other faults with their lines. Needs no GPU.\n"
      "\n"
      "usage: finesync-check [options] PROGRAM [ARGUMENTS...]\n"
      "\n"
      "  NVCC_APPEND_FLAGS=\"$(finesync-check --nvcc-flags)\" make\n"
      "  finesync-check ./program its arguments\n"
      "\n"
      "The exit status is 0 if nothing was found, 1 if something was, 2 if the check is not "
      "whole.\n"
      "docs/check/check.md says what is found, and what is not.",
      "finesync-check");
  app.prefix_command();
  bool wants_flags = false;
  app.add_flag("--nvcc-flags", wants_flags, "print what nvcc needs to build a program for this");
  app.set_version_flag("--version", FINESYNC_VERSION);
  add_options(app, read, given);
  try {
    app.parse(argc, argv);
    take(given, read.asked);
  } catch (const CLI::Error& problem) {
    status = problem.get_exit_code() == 0 ? app.exit(problem) : 2;  // --help, --version
    if (status != 0) fmt::print(stderr, "finesync-check: {} (see --help)\n", problem.what());
    return std::nullopt;
  }
  if (wants_flags) {
    fmt::print("{}\n", nvcc_flags);
    status = 0;
    return std::nullopt;
  }
  read.asked.command = app.remaining();
  const std::vector<std::string>& all = read.asked.command;
  if (all.empty() || all.front().starts_with('-')) {
    const std::string why =
        all.empty() ? "which program?" : fmt::format("unknown option '{}'", all.front());
    fmt::print(stderr, "finesync-check: {} (see --help)\n", why);
    status = 2;
    return std::nullopt;
  }
  return read;
}

}  // namespace check
