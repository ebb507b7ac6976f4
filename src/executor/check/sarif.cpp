// SPDX-License-Identifier: Apache-2.0
#include <check/report.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

namespace check {

namespace {

using json = nlohmann::ordered_json;

/// "kernels/sum.cu:12" as a place in a file.
json location_of(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", place.substr(0, colon)}}},
            {"region", {{"startLine", std::stoi(place.substr(colon + 1))}}}}}};
}

json result_of(const joined_finding& one, const report_parts& all) {
  const finished_run& first = all.runs[one.runs.front() - 1];
  json result{{"ruleId", one.what.rule},
              {"level", "error"},
              {"message",
               {{"text", fmt::format("{} (in {} of {} runs; again: finesync-check --seeds 1 {})",
                                     one.what.text, one.runs.size(), all.runs.size(),
                                     options_of(first))}}}};
  const std::vector<std::string>& places = one.what.places;
  if (!places.empty()) result["locations"] = {location_of(places.front())};
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
    if (known.insert(each.what.rule).second) rules.push_back({{"id", each.what.rule}});
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
  return sarif.dump(2) + "\n";
}

}  // namespace check
