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
#include <string_view>
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
  return run.end == ending::out_of_memory ||
         std::any_of(run.findings.begin(), run.findings.end(), [](const cudart::finding& each) {
           return each.kind == cudart::finding_kind::refusal;
         });
}

planned_run planned(const request& what, unsigned number) {
  if (!what.all_schedules) return {what.settings.executor.schedule, what.first_seed + number - 1};
  if (number == 1) return {simt::schedule_kind::round_robin, what.first_seed};
  return {simt::schedule_kind::random, what.first_seed + number - 2};
}

namespace {

/// In the process of the run. Tells what it reports, then how it ended, in a line of its own.
std::string run_one(const request& what, unsigned number, const std::filesystem::path& folder,
                    const worker::teller& tell) {
  const planned_run plan = planned(what, number);
  cudart::run_settings how = what.settings;
  how.executor.schedule = plan.schedule;
  how.executor.seed = plan.seed;
  how.report = (folder / fmt::format("run-{}", number)).string();
  named_pipe lines(how.report, tell);
  const process_end end = run_process(what.command, environment_of(how), number == 1,
                                      {.seconds = what.seconds_per_run}, lines);
  const ending kind = end.out_of_memory ? ending::out_of_memory
                      : end.out_of_time ? ending::out_of_time
                      : end.is_signal   ? ending::killed_by_signal
                                        : ending::exited;
  return fmt::format("\n{} {}", static_cast<int>(kind), end.code);
}

finished_run as_finished(const planned_run& plan, const std::string& text) {
  const std::size_t line = text.rfind('\n');
  std::istringstream words(text.substr(line + 1));
  int kind = 0;
  int status = 0;
  words >> kind >> status;
  cudart::run_report report = cudart::from_lines(text.substr(0, line));
  return {.schedule = plan.schedule,
          .seed = plan.seed,
          .end = static_cast<ending>(kind),
          .status = status,
          .findings = std::move(report.findings),
          .lacks = std::move(report.lacks)};
}

struct running_run {
  worker by;
  std::size_t shown = 0;  ///< of its text
};

/// Shows new lines of a run. \returns the length of its text until a finding to stop at.
std::optional<std::size_t> show(unsigned number, std::string_view text, std::size_t& shown,
                                const watcher& by) {
  for (std::size_t end = 0; (end = text.find('\n', shown)) != text.npos;) {
    const std::string line(text.substr(shown, end + 1 - shown));
    shown = end + 1;
    for (const cudart::finding& each : cudart::from_lines(line).findings)
      if (by.on_report(number, each)) return shown;
  }
  return std::nullopt;
}

/// Waits until one of them has something to say, or a signal has come.
void wait_for_any(const std::map<unsigned, running_run>& running) {
  std::vector<pollfd> all;
  for (const auto& [number, run] : running)
    all.push_back({.fd = run.by.descriptor(), .events = POLLIN, .revents = 0});
  constexpr int milliseconds = 100;  // a signal may come just before
  poll(all.data(), all.size(), milliseconds);
}

}  // namespace

std::vector<finished_run> run_all(const request& what, const watcher& by) {
  const scratch_folder folder;
  std::map<unsigned, running_run> running;
  std::map<unsigned, finished_run> ended;
  unsigned last = what.runs;
  unsigned next = 1;
  bool passed_on = false;
  for (;;) {
    for (; running.size() < what.at_once && next <= last && !was_interrupted(); ++next)
      running.emplace(next, running_run{worker([&](const worker::teller& tell) {
                        return run_one(what, next, folder.path(), tell);
                      })});
    if (running.empty()) break;
    wait_for_any(running);
    for (auto each = running.begin(); each != running.end();) {
      const unsigned number = each->first;
      running_run& one = each->second;
      std::optional<std::string> result = one.by.take();
      const std::string_view text = result ? *result : one.by.so_far();
      if (const auto until = show(number, text, one.shown, by); until && !was_interrupted()) {
        result = fmt::format("{}\n{} 0", text.substr(0, *until), static_cast<int>(ending::stopped));
        last = std::min(last, number);
      }
      if (!result) {
        ++each;
        continue;
      }
      each = running.erase(each);
      if (was_interrupted()) continue;  // it may have been ended by that
      const finished_run& run =
          ended.emplace(number, as_finished(planned(what, number), *result)).first->second;
      if (is_refused(run)) last = std::min(last, number);
    }
    by.on_progress(static_cast<unsigned>(ended.size()));
    std::erase_if(running, [&](const auto& each) { return each.first > last; });
    if (!was_interrupted() || passed_on) continue;
    for (const auto& [number, run] : running) run.by.send_signal(SIGTERM);
    passed_on = true;
  }
  std::vector<finished_run> done;
  for (unsigned number = 1; number <= last && ended.contains(number); ++number)
    done.push_back(std::move(ended.at(number)));
  return done;
}

}  // namespace check
