// SPDX-License-Identifier: Apache-2.0
// The lines of the file of findings.
#include <cudart/findings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace cudart {

NLOHMANN_JSON_SERIALIZE_ENUM(finding_kind, {{finding_kind::race, "race"},
                                            {finding_kind::failure, "failure"},
                                            {finding_kind::refusal, "refusal"},
                                            {finding_kind::launch, "launch"},
                                            {finding_kind::coverage, "coverage"},
                                            {finding_kind::fidelity, "fidelity"},
                                            {finding_kind::hint, "hint"},
                                            {finding_kind::begin, "begin"},
                                            {finding_kind::end, "end"},
                                            {finding_kind::sample, "sample"},
                                            {finding_kind::last_words, "last words"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(finding, kind, kernel, text, places, rule, subject, during)

finding finding_of(finding_kind kind, const std::string& kernel, const simt::fault& what) {
  const bool is_race = kind == finding_kind::race;
  finding found{.kind = kind,
                .kernel = kernel,
                .text = is_race ? sentence_of(what) : text_of(what),
                .places = places_of(what),
                .rule = rule_of(what),
                .subject = what.subject};
  if (!is_race)
    found.places.erase(std::unique(found.places.begin(), found.places.end()), found.places.end());
  return found;
}

finding failure_of(const std::string& rule, const std::string& kernel,
                   const simt::concerned_threads& who, const std::string& reason) {
  const simt::fault what{.kind = simt::fault_kind::bad_address,  // for the order of its words alone
                         .rule = rule,
                         .threads = {who},
                         .reason = reason};
  finding found = finding_of(finding_kind::failure, kernel, what);
  found.text = sentence_of(what);
  found.subject = fmt::format("{} {}", who.who, found.places.empty() ? reason : found.places[0]);
  return found;
}

std::string to_line(const finding& what) {
  constexpr auto replacement =
      nlohmann::json::error_handler_t::replace;  // of bytes that are not UTF-8
  return nlohmann::json(what).dump(-1, ' ', false, replacement) + "\n";
}

run_report from_lines(const std::string& text) {
  run_report found;
  std::set<std::string> running;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    try {
      found.findings.push_back(nlohmann::json::parse(line).get<finding>());
    } catch (const nlohmann::json::exception&) {
      found.lacks = "a line of its report was cut off";
      continue;
    }
    const finding& last = found.findings.back();
    if (last.kind == finding_kind::begin) running.insert(last.subject);
    if (last.kind == finding_kind::end) running.erase(last.subject);
  }
  if (!text.empty() && text.back() != '\n') found.lacks = "a line of its report was cut off";
  if (found.lacks.empty() && !running.empty())
    found.lacks = "a process that used CUDA was killed, or became another program";
  std::erase_if(found.findings, [](const finding& each) {
    return each.kind == finding_kind::begin || each.kind == finding_kind::end;
  });
  return found;
}

namespace {

/// "bad address" for "bad-address": as keys have had it since version 1 of the fingerprints.
std::string spoken(std::string rule) {
  std::replace(rule.begin(), rule.end(), '-', ' ');
  return rule;
}

}  // namespace

std::string key_of(const finding& what) {
  const std::string kind = nlohmann::json(what.kind).get<std::string>();
  switch (what.kind) {
    case finding_kind::race:
      if (what.places.size() == 2) return fmt::format("{} {}", kind, fmt::join(what.places, " "));
      return fmt::format("{} {}", kind, what.kernel);
    case finding_kind::failure:
      return fmt::format("{} {} {}", kind, what.kernel,
                         what.subject.empty() ? spoken(what.rule) : what.subject);
    case finding_kind::refusal:
      return fmt::format("{} {}", kind, what.text);
    case finding_kind::launch:
    case finding_kind::sample:
      return fmt::format("{} {}", kind, what.kernel);
    case finding_kind::coverage:
      return fmt::format("{} {} {}", kind, what.subject, what.text.size());
    case finding_kind::fidelity:
      return fmt::format("{} {} {}", kind, what.text, what.subject);
    case finding_kind::hint:
      return fmt::format("{} {} {}", kind, what.kernel, fmt::join(what.places, " "));
    case finding_kind::begin:
    case finding_kind::end:
    case finding_kind::last_words:
      return fmt::format("{} {}", kind, what.subject);
  }
  return kind;
}

}  // namespace cudart
