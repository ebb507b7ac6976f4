// SPDX-License-Identifier: Apache-2.0
#include <check/coverage.hpp>
#include <check/report.hpp>

#include <nlohmann/json.hpp>

namespace check {

namespace {

const char* name_of(ending which) {
  switch (which) {
    case ending::exited:
      return "exited";
    case ending::killed_by_signal:
      return "killed by signal";
    case ending::out_of_time:
      return "out of time";
    case ending::out_of_memory:
      return "out of memory";
    case ending::stopped:
      return "stopped";
  }
  return "";
}

}  // namespace

std::string as_json(const report_parts& all) {
  nlohmann::ordered_json report;
  report["schema"] = 1;
  report["tool"] = {{"name", "finesync-check"}, {"version", FINESYNC_VERSION}};
  report["command"] = all.asked.command;
  report["settings"] = settings_text(all.asked);
  report["kernels"] = all.report.kernels;
  report["runs"] = nlohmann::ordered_json::array();
  for (const finished_run& each : all.runs)
    report["runs"].push_back(
        {{"options", options_of(each)}, {"end", name_of(each.end)}, {"status", each.status}});
  report["findings"] = nlohmann::ordered_json::array();
  for (const joined_finding& each : all.report.findings) {
    nlohmann::ordered_json one{{"rule", each.what.rule},
                               {"kernel", each.what.kernel},
                               {"places", each.what.places},
                               {"text", each.what.text},
                               {"runs", each.runs}};
    if (!each.what.during.empty()) one["during"] = each.what.during;
    if (!each.suppressed_by.empty()) one["suppressed_by"] = each.suppressed_by;
    report["findings"].push_back(std::move(one));
  }
  const joined_coverage ran = coverage_of(all.runs);
  report["coverage"] = {{"accesses", ran.accesses}, {"accesses_run", ran.accesses_run},
                        {"barriers", ran.barriers}, {"barriers_run", ran.barriers_run},
                        {"not_run", ran.not_run},   {"approximate", ran.approximate},
                        {"skipped", ran.skipped}};
  report["not_checked"] = all.report.unchecked;
  constexpr auto replacement =
      nlohmann::json::error_handler_t::replace;  // of bytes that are not UTF-8
  return report.dump(2, ' ', false, replacement) + "\n";
}

}  // namespace check
