// SPDX-License-Identifier: Apache-2.0
// The text of --help. It does not come from CLI11, so it is the same with every version of CLI11.
#include <bench/command_line.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace finesync::bench {
namespace {

using entries = std::vector<std::pair<std::string, std::string>>;

// A heading above two aligned columns.
std::string section(const std::string& heading, const entries& lines) {
  if (lines.empty()) return "";
  std::size_t width = 0;
  for (const auto& [name, help] : lines) width = std::max(width, name.size());
  std::string text = "\n" + heading + "\n";
  for (const auto& [name, help] : lines)
    fmt::format_to(std::back_inserter(text), "  {:<{}}  {}\n", name, width, help);
  return text;
}

std::string list_of(const axis& which, const std::vector<long long>& values) {
  std::vector<std::string> texts;
  for (const long long value : values) texts.push_back(spelled(which.names, value));
  return fmt::format("{}", fmt::join(texts, ","));
}

// Names of the primitives that satisfy `has`; "all" for all, empty for none.
template <class Has>
std::string names_of(const declaration& declared, Has has) {
  std::vector<std::string> names;
  for (const primitive& each : declared.primitives)
    if (has(each)) names.push_back(each.name);
  return !names.empty() && names.size() == declared.primitives.size()
             ? "all"
             : fmt::format("{}", fmt::join(names, ","));
}

// Values that --tune tries for `which`, and the primitives that it does so for; empty if none.
std::string tuning_of(const axis& which, const declaration& declared) {
  const std::string whose = names_of(declared, [&](const primitive& each) {
    const std::vector<std::string> tunable = tunable_axes(declared, each);
    return std::find(tunable.begin(), tunable.end(), which.name) != tunable.end();
  });
  if (whose.empty()) return "";
  return fmt::format("; --tune tries {} for {}", list_of(which, tuning_values(which)), whose);
}

std::string describe(const axis& which, const declaration& declared) {
  const std::string whose = names_of(declared, [&](const primitive& each) {
    return std::find(each.axes.begin(), each.axes.end(), which.name) != each.axes.end();
  });
  return fmt::format("{} ({}{}; default {}{}{})", which.help,
                     which.unit.empty() ? "" : "unit: " + which.unit + "; ", range_of(which),
                     list_of(which, which.values), whose.empty() ? "" : "; only for " + whose,
                     tuning_of(which, declared));
}

std::string example(const declaration& declared) {
  std::string text = "  " + declared.name;
  if (!declared.primitives.empty()) text += " --primitive " + declared.primitives.front().name;
  if (declared.primitives.size() > 1) text += "," + declared.primitives[1].name;
  if (!declared.axes.empty())
    text += fmt::format(" --{} {}", declared.axes.front().name,
                        list_of(declared.axes.front(), declared.axes.front().values));
  return text + fmt::format(" --benchmark_out={}.json\n", declared.name);
}

}  // namespace

std::string help_text(const declaration& declared, const std::vector<machine_option>& machine) {
  entries primitives;
  for (const primitive& each : declared.primitives) primitives.emplace_back(each.name, each.help);
  entries axes;
  for (const axis& each : declared.axes)
    axes.emplace_back("--" + each.name, describe(each, declared));
  entries settings;
  for (const machine_option& each : machine)
    settings.emplace_back("--" + each.name,
                          each.default_value.empty()
                              ? each.help
                              : fmt::format("{} (default {})", each.help, each.default_value));
  const entries tuning = {
      {"--tune", "choose the axes above marked '--tune tries' by short runs, for each point;"},
      {"", "an axis given on the command line keeps its values"},
  };
  const entries google = {
      {"--benchmark_out=FILE", "write the results to FILE (FILE.partial until they are complete)"},
      {"--benchmark_out_format=FORMAT", "json (default), csv or console"},
      {"--benchmark_repetitions=N", "timed runs per point (default 10)"},
      {"--benchmark_filter=REGEX", "run only points that match; a leading - inverts the match"},
      {"--benchmark_list_tests", "list the points without running them"},
      {"--benchmark_counters_tabular=true", "print counters as columns"},
      {"--benchmark_display_aggregates_only=true", "print only mean, median and spread"},
  };
  const entries exits = {
      {"0",
       "every run passed its verification, or is declared to be wrong; infeasible points are "
       "skipped"},
      {"1", "a run was wrong, timed out, deadlocked or failed (also while tuning)"},
      {"2",
       "the command line or an input is invalid, no point is feasible, or results cannot be "
       "written"},
      {"3",
       "an error left the GPU unusable for this process; FILE.partial holds the finished points"},
      {"130, 143", "interrupted; FILE.partial holds the finished points"},
  };
  return fmt::format("{0}: {1}\n\nusage: {0} [--primitive NAME,...] [--AXIS VALUE,...] [options]\n",
                     declared.name, declared.description) +
         section("Primitives (--primitive NAME,... or all; default all):", primitives) +
         section(
             "Axes (each takes VALUE,...; every combination is a point; 1K is 1024, 1M is "
             "1048576):",
             axes) +
         section("Tuning (on a GPU only):", tuning) +
         section("Machine (each takes one value):", settings) +
         section("Google Benchmark (these and its other --benchmark_ flags):", google) +
         section("Exit status:", exits) + "\nExample:\n" + example(declared);
}

}  // namespace finesync::bench
