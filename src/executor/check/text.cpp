// SPDX-License-Identifier: Apache-2.0
#include <check/coverage.hpp>
#include <check/report.hpp>

#include <fmt/format.h>

namespace check {

namespace {

/// A word of a shell's command.
std::string quoted(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string finding_text(const joined_finding& one, const report_parts& all) {
  const unsigned first = one.runs.front();
  const std::string during = one.what.during.empty() ? "" : ", first in " + one.what.during;
  return fmt::format("{}\n    {}\n    in {} of {}{}; again: {}\n", title_of(one.what),
                     one.what.text, one.runs.size(), counted(all.runs.size(), "run"), during,
                     again_text(all.asked, all.runs[first - 1]));
}

}  // namespace

std::string title_of(const cudart::finding& what) {
  const std::vector<std::string>& places = what.places;
  std::string title = places.empty() ? "" : places.front() + ": ";
  title += fmt::format("error: {}", what.rule);
  if (what.rule == "data-race" && places.size() == 2)
    title += fmt::format(" with {}", places.back());
  if (!what.kernel.empty()) title += fmt::format(" in kernel {}", what.kernel);
  return title;
}

std::string again_text(const request& asked, const finished_run& run) {
  const cudart::run_settings& how = asked.settings;
  const cudart::run_settings usual;
  std::string text = "finesync-check --seeds 1 " + options_of(run);
  if (how.executor.gpu.name != usual.executor.gpu.name) text += " --gpu " + how.executor.gpu.name;
  const bool is_weak = how.executor.memory == simt::memory_kind::weak;
  if (is_weak) text += " --memory weak";
  if (!is_weak && how.executor.check == simt::checking::none) text += " --check none";
  if (how.volatiles != usual.volatiles) text += " --volatile plain";
  if (how.zeroed_memory) text += " --zeroed-memory";
  if (how.executor.checked_blocks != 0)
    text += fmt::format(" --blocks {}", how.executor.checked_blocks);
  for (const std::string& word : asked.command) text += " " + quoted(word);
  return text;
}

std::string settings_text(const request& asked) {
  const cudart::run_settings& how = asked.settings;
  const bool is_weak = how.executor.memory == simt::memory_kind::weak;
  const bool seeks_races = how.executor.check == simt::checking::races;
  return fmt::format("GPU model {}; {}; volatile accesses are taken for {}", how.executor.gpu.name,
                     is_weak       ? "weak memory, races not looked for"
                     : seeks_races ? "races looked for"
                                   : "races not looked for",
                     how.volatiles == ptx::volatile_access::relaxed
                         ? "relaxed atomics, as PTX says (--volatile plain: for data)"
                         : "data (--volatile relaxed: for relaxed atomics, as PTX says)");
}

std::string as_text(const report_parts& all) {
  std::string text;
  std::size_t shown = 0;
  std::size_t suppressed = 0;
  for (const joined_finding& each : all.report.findings) {
    if (!each.suppressed_by.empty()) {
      ++suppressed;
      continue;
    }
    ++shown;
    text += finding_text(each, all);
  }
  for (const joined_finding& each : all.report.findings)
    if (!each.suppressed_by.empty())
      text += fmt::format("suppressed by '{}': {}\n", each.suppressed_by, title_of(each.what));
  for (const suppression& each : all.suppressions)
    if (!each.is_used) text += fmt::format("suppresses nothing: '{}'\n", each.line);
  if (!all.report.kernels.empty()) text += text_of(coverage_of(all.runs));
  for (const std::string& each : all.report.unchecked)
    text += fmt::format("not checked: {}\n", each);
  const std::string also = suppressed == 0 ? "" : fmt::format(" and {} suppressed", suppressed);
  text += fmt::format("{}{}: {} in {} ({})\n", counted(shown, "finding"), also,
                      counted(all.report.kernels.size(), "kernel"), counted(all.runs.size(), "run"),
                      settings_text(all.asked));
  return text;
}

}  // namespace check
