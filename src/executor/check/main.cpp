// SPDX-License-Identifier: Apache-2.0
// finesync-check: see docs/check/check.md.
#include <check/live_view.hpp>
#include <check/loaded_runtime.hpp>
#include <check/options.hpp>
#include <check/process.hpp>
#include <check/program_file.hpp>
#include <check/report.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

namespace {

void write(const std::string& file, const std::string& text) {
  if (file.empty()) return;
  std::ofstream out(file);
  out << text << std::flush;
  if (!out) throw std::runtime_error(fmt::format("cannot write {}", file));
}

/// Runs the program, and shows each finding as it comes, but for those that are suppressed.
std::vector<finished_run> watched(const request& asked, const std::vector<suppression>& known) {
  live_view view(asked.runs);
  std::set<std::string> shown;
  const auto on_report = [&](unsigned number, const cudart::finding& what) {
    using enum cudart::finding_kind;
    if ((what.kind != race && what.kind != failure) || is_suppressed(known, what)) return false;
    if (shown.insert(key_of(what)).second)
      view.found(fmt::format("in run {}: {}", number, title_of(what)));
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
