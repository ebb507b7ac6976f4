// SPDX-License-Identifier: Apache-2.0
#include <check/coverage.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <set>

namespace check {

namespace {

using cudart::finding;
using cudart::finding_kind;

constexpr std::size_t longest_list = 6;  ///< of opcodes

std::string list_of(const std::vector<std::string>& all) {
  const std::size_t shown = std::min(all.size(), longest_list);
  const std::string text = fmt::format("{}", fmt::join(all.begin(), all.begin() + shown, ", "));
  return shown == all.size() ? text : fmt::format("{} and {} more", text, all.size() - shown);
}

}  // namespace

joined_coverage coverage_of(const std::vector<finished_run>& runs) {
  joined_coverage all;
  std::map<std::string, finding> kernels;
  std::set<std::string> skipped;
  for (const finished_run& run : runs) {
    for (const finding& each : run.findings) {
      if (each.kind == finding_kind::coverage) {
        std::string& sites = kernels.emplace(key_of(each), each).first->second.text;
        for (std::size_t i = 0; i < sites.size(); ++i)
          if (std::isupper(each.text[i]) != 0) sites[i] = each.text[i];
      } else if (each.kind == finding_kind::fidelity && each.rule == "skipped") {
        skipped.insert(each.text);
      } else if (each.kind == finding_kind::fidelity) {
        std::string& reached = all.approximate[each.text];
        if (reached.empty() || reached == each.subject)
          reached = each.subject;
        else if (!each.subject.empty())
          reached = "address or a branch";
      }
    }
  }
  std::set<std::string> not_run;
  for (const auto& [key, kernel] : kernels) {
    for (std::size_t i = 0; i < kernel.text.size(); ++i) {
      const bool has_run = std::isupper(kernel.text[i]) != 0;
      const bool is_barrier = std::tolower(kernel.text[i]) == 'b';
      ++(is_barrier ? all.barriers : all.accesses);
      if (has_run) ++(is_barrier ? all.barriers_run : all.accesses_run);
      if (!has_run && i < kernel.places.size()) not_run.insert(kernel.places[i]);
    }
  }
  all.not_run.assign(not_run.begin(), not_run.end());
  all.skipped.assign(skipped.begin(), skipped.end());
  return all;
}

std::string text_of(const joined_coverage& all) {
  std::string text =
      fmt::format("coverage: {} of {} accesses and {} of {} barriers in the launched kernels ran\n",
                  all.accesses_run, all.accesses, all.barriers_run, all.barriers);
  std::vector<std::string> approximate;
  std::vector<std::string> reaching;
  for (const auto& [opcode, reached] : all.approximate) {
    approximate.push_back(opcode);
    if (!reached.empty())
      reaching.push_back(
          fmt::format("{} may reach {} {}", opcode, reached == "branch" ? "a" : "an", reached));
  }
  text += "fidelity: ";
  if (approximate.empty())
    text += "all instructions are exact";
  else
    text += fmt::format(
        "exact but for {}, which are approximate ({})", list_of(approximate),
        reaching.empty() ? "no address or branch depends on them by registers" : list_of(reaching));
  if (!all.skipped.empty()) text += fmt::format("; skipped as hints: {}", list_of(all.skipped));
  return text + "\n";
}

}  // namespace check
