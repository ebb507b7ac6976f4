// SPDX-License-Identifier: Apache-2.0
#include <check/report.hpp>
#include <check/rules.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string_view>

namespace check {

namespace {

using json = nlohmann::ordered_json;

/// A path as a relative reference (RFC 3986).
std::string uri_of(std::string_view path) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  while (path.starts_with('/')) path.remove_prefix(1);
  std::string uri;
  for (const char c : path) {
    const bool is_plain = plain.find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

json location_of(const std::string& path, int line) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri_of(path)}}}, {"region", {{"startLine", line}}}}}};
}

/// "kernels/sum.cu:12" as a place in a file.
json location_of(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  return location_of(place.substr(0, colon), std::stoi(place.substr(colon + 1)));
}

json described(const std::string& rule) {
  json one{{"id", rule}, {"name", rule}, {"defaultConfiguration", {{"level", "error"}}}};
  if (const std::string meaning = meaning_of(rule); !meaning.empty())
    one["shortDescription"] = one["fullDescription"] = one["help"] = {{"text", meaning}};
  return one;
}

json result_of(const joined_finding& one, const report_parts& all) {
  const finished_run& first = all.runs[one.runs.front() - 1];
  json result{
      {"ruleId", one.what.rule},
      {"level", "error"},
      {"message",
       {{"text", fmt::format("{} (in {} of {} runs; again: {})", one.what.text, one.runs.size(),
                             all.runs.size(), again_text(all.asked, first))}}}};
  const std::vector<std::string>& places = one.what.places;
  const std::string& program = all.asked.command.front();
  result["locations"] = {places.empty() ? location_of(program, 1) : location_of(places.front())};
  for (std::size_t i = 1; i < places.size(); ++i)
    result["relatedLocations"].push_back(location_of(places[i]));
  result["partialFingerprints"] = {{"finesync/v1", key_of(one.what)}};
  if (!one.suppressed_by.empty())
    result["suppressions"] = {{{"kind", "external"}, {"justification", one.suppressed_by}}};
  return result;
}

}  // namespace

std::string as_sarif(const report_parts& all) {
  json results = json::array();
  json rules = json::array();
  std::set<std::string> known;
  for (const joined_finding& each : all.report.findings) {
    results.push_back(result_of(each, all));
    if (known.insert(each.what.rule).second) rules.push_back(described(each.what.rule));
  }
  json notes = json::array();
  for (const std::string& each : all.report.unchecked)
    notes.push_back({{"level", "warning"}, {"message", {{"text", each}}}});
  const json driver{{"name", "finesync-check"}, {"version", FINESYNC_VERSION}, {"rules", rules}};
  const json invocation{{"executionSuccessful", all.report.unchecked.empty()},
                        {"toolExecutionNotifications", notes}};
  const json run{{"tool", {{"driver", driver}}},
                 {"invocations", json::array({invocation})},
                 {"results", results}};
  const json sarif{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", json::array({run})}};
  constexpr auto replacement = json::error_handler_t::replace;  // of bytes that are not UTF-8
  return sarif.dump(2, ' ', false, replacement) + "\n";
}

}  // namespace check
