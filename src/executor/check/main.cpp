// SPDX-License-Identifier: Apache-2.0
// finesync-check: see docs/check/check.md.
#include <check/loaded_runtime.hpp>
#include <check/options.hpp>
#include <check/process.hpp>
#include <check/program_file.hpp>
#include <check/report.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

#include <unistd.h>

namespace check {

namespace {

void write(const std::string& file, const std::string& text) {
  if (file.empty()) return;
  std::ofstream out(file);
  out << text << std::flush;
  if (!out) throw std::runtime_error(fmt::format("cannot write {}", file));
}

/// One line that the next replaces, for those who watch.
void show_progress(const request& asked, unsigned ended) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r{} of {} runs\r", ended, asked.runs);
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
  const std::vector<finished_run> runs =
      run_all(what.asked, [&](unsigned ended) { show_progress(what.asked, ended); });
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
