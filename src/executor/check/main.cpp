// SPDX-License-Identifier: Apache-2.0
// finesync-check: see docs/check/check.md.
#include <check/loaded_runtime.hpp>
#include <check/options.hpp>
#include <check/process.hpp>
#include <check/program_file.hpp>
#include <check/report.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace check {

namespace {

void write(const std::string& file, const std::string& text) {
  if (file.empty()) return;
  std::ofstream out(file);
  out << text << std::flush;
  if (!out) throw std::runtime_error(fmt::format("cannot write {}", file));
}

/// Findings as they come, and how far it is, on standard error: on a terminal at once, in a line
/// that the next replaces; elsewhere if it takes long, in lines. The report is the same with and
/// without.
class live_view {
 public:
  explicit live_view(unsigned runs) : runs_(runs) {}
  ~live_view() {
    if (!shown_.empty()) fmt::print(stderr, "{}", erased);
  }
  live_view(const live_view&) = delete;
  live_view& operator=(const live_view&) = delete;

  void found(unsigned run, const cudart::finding& what) {
    ++findings_;
    waiting_ += fmt::format("finesync-check: found in run {}: {}\n", run, title_of(what));
  }
  /// To be called often. \param ended runs
  void at(unsigned ended) {
    constexpr seconds between_lines(30);
    const auto now = std::chrono::duration_cast<seconds>(clock::now() - began_);
    const std::string line = fmt::format("finesync-check: {} of {} runs, {} finding{}, {} s", ended,
                                         runs_, findings_, findings_ == 1 ? "" : "s", now.count());
    if (isatty(STDERR_FILENO) == 0) {
      if (now < next_ && (waiting_.empty() || next_ == long_enough)) return;
      if (now >= next_) waiting_ += line + "\n";
      if (now >= next_) next_ = now + between_lines;
      fmt::print(stderr, "{}", std::exchange(waiting_, ""));
      return;
    }
    // The first run shows the program's output: no line before it may have ended.
    const std::string wanted = ended == 0 || ended == runs_ ? "" : line;
    if (wanted == shown_ && waiting_.empty()) return;
    fmt::print(stderr, "{}{}{}\r", shown_.empty() ? "" : erased, std::exchange(waiting_, ""),
               wanted);
    shown_ = wanted;
  }

 private:
  using clock = std::chrono::steady_clock;
  using seconds = std::chrono::seconds;
  static constexpr const char* erased = "\r\x1b[K";
  static constexpr seconds long_enough{10};

  const unsigned runs_;
  const clock::time_point began_ = clock::now();
  seconds next_ = long_enough;  ///< when a line is due elsewhere
  unsigned findings_ = 0;
  std::string waiting_;  ///< findings that are not shown yet
  std::string shown_;    ///< the line of a terminal
};

/// Runs the program, and shows each finding as it comes, but for those that are suppressed.
std::vector<finished_run> watched(const request& asked, const std::vector<suppression>& known) {
  live_view view(asked.runs);
  std::set<std::string> shown;
  const auto on_report = [&](unsigned number, const cudart::finding& what) {
    using enum cudart::finding_kind;
    if ((what.kind != race && what.kind != failure) || is_suppressed(known, what)) return false;
    if (shown.insert(key_of(what)).second) view.found(number, what);
    return asked.stops_at_first;
  };
  return run_all(asked, {on_report, [&](unsigned ended) { view.at(ended); }});
}

/// A program that fails without a fault, and needs a library that does not run here, fails by that.
void blame_library(const std::string& program, joined_report& report) {
  const std::string name = unsupported_library(program);
  const auto unexplained = [](const joined_finding& one) {
    return one.what.rule == "failing-program";
  };
  if (name.empty() || std::erase_if(report.findings, unexplained) == 0) return;
  report.unchecked.push_back(fmt::format(
      "{} fails, and no fault was seen before; it uses {}, which is not supported", program, name));
}

int check(const options& what) {
  std::vector<suppression> suppressions;
  if (!what.suppressions.empty())
    suppressions = read_suppressions(what.suppressions, what.asked.settings.root);
  pass_signals_to_child();
  const std::vector<finished_run> runs = watched(what.asked, suppressions);
  joined_report report = joined(what.asked, runs);
  if (report.kernels.empty() && report.unchecked.empty()) {
    const std::string loaded = other_runtime_of(what.asked);
    report.unchecked.push_back(loaded.empty() ? why_no_launch(what.asked.command.front()) : loaded);
  }
  blame_library(what.asked.command.front(), report);
  apply(suppressions, report);
  const report_parts all{what.asked, runs, report, suppressions};
  fmt::print(stderr, "{}", as_text(all));
  write(what.json, as_json(all));
  write(what.sarif, as_sarif(all));
  return static_cast<int>(verdict_of(report));
}

}  // namespace

}  // namespace check

int main(int argc, char** argv) {
  constexpr int not_checked = static_cast<int>(check::verdict::not_checked);
  try {
    int status = 0;
    const std::optional<check::options> what = check::parse(argc, argv, status);
    if (what) return check::in_process_of_its_own([&] { return check::check(*what); });
    if (std::fflush(stdout) != 0) throw std::runtime_error("cannot write to standard output");
    return status;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "finesync-check: {}\n", problem.what());
    return not_checked;
  }
}
