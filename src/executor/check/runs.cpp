// SPDX-License-Identifier: Apache-2.0
#include <check/process.hpp>
#include <check/runs.hpp>
#include <check/worker.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

namespace check {

namespace {

/// A folder of this process, removed at the end.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "finesync-check-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error(fmt::format("cannot make a folder in {}", name));
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The loader's path with the replacements of the CUDA runtime first.
std::string library_path() {
  std::string path = runtime_folder();
  if (const char* const more = std::getenv("LD_LIBRARY_PATH")) path += fmt::format(":{}", more);
  return path;
}

/// With room for the thread-local data of the replacements: a program may open them when it runs,
/// as Python does with extensions.
std::string tunables() {
  const char* const own = std::getenv("GLIBC_TUNABLES");
  return fmt::format("{}glibc.rtld.optional_static_tls=65536",
                     own == nullptr ? "" : fmt::format("{}:", own));
}

}  // namespace

std::string runtime_folder() {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(own.parent_path() / FINESYNC_CUDART_FOLDER);
  for (const char* const name : {"libcudart.so.12", "libcudart.so.13", "libfinesync_cudart.so"}) {
    if (!std::filesystem::exists(folder / name))
      throw std::runtime_error(fmt::format("{} is missing", (folder / name).string()));
  }
  return folder.string();
}

environment environment_of(const cudart::run_settings& how) {
  environment added = cudart::as_environment(how);
  added.emplace_back("LD_LIBRARY_PATH", library_path());
  added.emplace_back("GLIBC_TUNABLES", tunables());
  return added;
}

bool is_refused(const finished_run& run) {
  return std::any_of(run.findings.begin(), run.findings.end(), [](const cudart::finding& each) {
    return each.kind == cudart::finding_kind::refusal;
  });
}

planned_run planned(const request& what, unsigned number) {
  if (!what.all_schedules) return {what.settings.executor.schedule, what.first_seed + number - 1};
  if (number == 1) return {simt::schedule_kind::round_robin, what.first_seed};
  return {simt::schedule_kind::random, what.first_seed + number - 2};
}

namespace {

/// In the process of the run. \returns how it ended, in one line, and what it has reported.
std::string run_one(const request& what, unsigned number, const std::filesystem::path& folder) {
  const planned_run plan = planned(what, number);
  cudart::run_settings how = what.settings;
  how.executor.schedule = plan.schedule;
  how.executor.seed = plan.seed;
  how.report = (folder / fmt::format("run-{}", number)).string();
  named_pipe lines(how.report);
  const process_end end =
      run_process(what.command, environment_of(how), number == 1, what.seconds_per_run, lines);
  const ending kind = end.out_of_time ? ending::out_of_time
                      : end.is_signal ? ending::killed_by_signal
                                      : ending::exited;
  return fmt::format("{} {}\n{}", static_cast<int>(kind), end.code, lines.text());
}

finished_run as_finished(const planned_run& plan, const std::string& text) {
  const std::size_t line = text.find('\n');
  std::istringstream words(text.substr(0, line));
  int kind = 0;
  int status = 0;
  words >> kind >> status;
  cudart::run_report report = cudart::from_lines(text.substr(line + 1));
  return {.schedule = plan.schedule,
          .seed = plan.seed,
          .end = static_cast<ending>(kind),
          .status = status,
          .findings = std::move(report.findings),
          .lacks = std::move(report.lacks)};
}

/// Waits until one of them has something to say, or a signal has come.
void wait_for_any(const std::map<unsigned, worker>& running) {
  std::vector<pollfd> all;
  for (const auto& [number, by] : running)
    all.push_back({.fd = by.descriptor(), .events = POLLIN, .revents = 0});
  constexpr int milliseconds = 100;  // a signal may come just before
  poll(all.data(), all.size(), milliseconds);
}

}  // namespace

std::vector<finished_run> run_all(const request& what, const progress& after_run) {
  const scratch_folder folder;
  std::map<unsigned, worker> running;
  std::map<unsigned, finished_run> ended;
  unsigned last = what.runs;
  unsigned next = 1;
  bool passed_on = false;
  for (;;) {
    for (; running.size() < what.at_once && next <= last && !was_interrupted(); ++next)
      running.emplace(next, worker([&] { return run_one(what, next, folder.path()); }));
    if (running.empty()) break;
    wait_for_any(running);
    for (auto each = running.begin(); each != running.end();) {
      const auto [number, result] = std::pair(each->first, each->second.take());
      if (!result) {
        ++each;
        continue;
      }
      each = running.erase(each);
      if (was_interrupted()) continue;  // it may have been ended by that
      const finished_run& run =
          ended.emplace(number, as_finished(planned(what, number), *result)).first->second;
      if (is_refused(run)) last = std::min(last, number);
      after_run(static_cast<unsigned>(ended.size()));
    }
    std::erase_if(running, [&](const auto& each) { return each.first > last; });
    if (!was_interrupted() || passed_on) continue;
    for (const auto& [number, by] : running) by.send_signal(SIGTERM);
    passed_on = true;
  }
  std::vector<finished_run> done;
  for (unsigned number = 1; number <= last && ended.contains(number); ++number)
    done.push_back(std::move(ended.at(number)));
  return done;
}

}  // namespace check
