// SPDX-License-Identifier: Apache-2.0
#include <cudart/coverage.hpp>
#include <cudart/device.hpp>
#include <cudart/findings.hpp>
#include <cudart/last_words.hpp>
#include <cudart/refused_launches.hpp>
#include <simt/launch.hpp>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <string_view>

#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

namespace cudart {

namespace {

/// The process that uses the runtime; 0 if none has yet.
std::atomic<pid_t> user = 0;

[[noreturn]] void cannot_report(const std::string& file) {
  std::fprintf(stderr, "finesync-check: cannot write to %s: %s\n", file.c_str(),
               std::strerror(errno));
  std::fflush(nullptr);
  syscall(SYS_exit_group, refusal_status);
  std::abort();  // is not reached
}

/// Several processes of a run write to one file, which finesync-check reads as it comes.
void append(const std::string& file, std::string_view line) {
  // Without O_NONBLOCK this would wait for ever if finesync-check was killed.
  const int to = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
  if (to < 0 || fcntl(to, F_SETFL, O_APPEND) < 0 || flock(to, LOCK_EX) < 0) cannot_report(file);
  while (!line.empty()) {
    const ssize_t written = write(to, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_report(file);
    line.remove_prefix(static_cast<std::size_t>(written));
  }
  close(to);
}

void end_report() {
  if (user == 0 || is_forked_after_use()) return;
  report_refused();
  report_coverage();
  report({.kind = finding_kind::end, .subject = fmt::format("{}", getpid())});
}

bool is_for_people(finding_kind what) {
  return what == finding_kind::race || what == finding_kind::failure ||
         what == finding_kind::refusal;
}

}  // namespace

simt::code_place with_callers(const void* from) {
  [[maybe_unused]] static const bool once = simt::step_over_sources("/cuda_runtime.h");
  constexpr std::size_t most = 4;  // as deep as wrappers are
  std::array<void*, 32> frames;
  const auto count =
      static_cast<std::size_t>(backtrace(frames.data(), static_cast<int>(frames.size())));
  simt::code_place place{from};
  for (std::size_t i = 0; i < count && place.callers.size() < most; ++i)
    if (frames.at(i) == from || !place.callers.empty()) place.callers.push_back(frames.at(i));
  return place;
}

namespace {

/// Who finds something: the test that pytest runs, or else the process, by its command line.
std::string current_work() {
  if (const char* const test = std::getenv("PYTEST_CURRENT_TEST")) {
    const std::string_view name = test;  // "a.py::test_b (call)"
    return fmt::format("test {}", name.substr(0, name.rfind(" (")));
  }
  std::ifstream line("/proc/self/cmdline");
  std::string text = "process";
  for (std::string word; std::getline(line, word, '\0');) text += " " + word;
  return text;
}

}  // namespace

void report(const finding& what) {
  // Several OS threads of the program may be refused something.
  static auto& mutex = *new std::mutex;
  static auto& reported = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (!reported.insert(key_of(what)).second) return;
  const std::string& file = settings_of_run().report;
  if (!file.empty()) {
    finding told = what;
    if (is_for_people(what.kind) || what.kind == finding_kind::hint) told.during = current_work();
    append(file, to_line(told));
  } else if (is_for_people(what.kind)) {
    fmt::print(stderr, "finesync-check: {}{}\n", what.kernel.empty() ? "" : what.kernel + ": ",
               what.text);
  }
}

void begin_report() {
  report({.kind = finding_kind::begin, .subject = fmt::format("{}", getpid())});
  user = getpid();
  answer_at_time_out();
  // Runs before the destructors of what report() has made.
  std::atexit(end_report);
  std::at_quick_exit(end_report);
}

bool is_forked_after_use() {
  return user != 0 && user != getpid();
}

void refuse(const std::string& why) {
  std::fflush(nullptr);
  report({.kind = finding_kind::refusal, .text = why});
  finesync_end_process(refusal_status);
}

}  // namespace cudart

void finesync_end_process(int status) {
  cudart::end_report();
  syscall(SYS_exit_group, status);
  std::abort();  // is not reached
}
