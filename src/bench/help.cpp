// SPDX-License-Identifier: Apache-2.0
// The text of --help. It does not come from CLI11, so it is the same with every version of CLI11.
#include <bench/command_line.hpp>
#include <bench/named.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace finesync::bench {
namespace {

using entries = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t columns = 80;

// The words of a text, in as many lines as they need in `width` columns, with `between` from one
// line to the next.
std::string wrapped(const std::string& text, std::size_t width = columns,
                    const std::string& between = "\n") {
  std::string lines;
  std::size_t used = 0;
  std::istringstream words(text);
  for (std::string word; words >> word; used += word.size()) {
    if (used != 0 && used + 1 + word.size() > width) {
      lines += between;
      used = 0;
    } else if (used != 0) {
      lines += ' ';
      ++used;
    }
    lines += word;
  }
  return lines;
}

// A heading above two aligned columns.
std::string section(const std::string& heading, const entries& lines) {
  if (lines.empty()) return "";
  std::size_t width = 0;
  for (const auto& [name, help] : lines) width = std::max(width, name.size());
  std::string text = "\n" + wrapped(heading) + "\n";
  const std::string indent(width + 4, ' ');
  for (const auto& [name, help] : lines)
    fmt::format_to(std::back_inserter(text), "  {:<{}}  {}\n", name, width,
                   wrapped(help, columns - indent.size(), "\n" + indent));
  return text;
}

std::string list_of(const axis& which, const std::vector<long long>& values) {
  std::vector<std::string> texts;
  for (const long long value : values) texts.push_back(spelled(which.names, value));
  return fmt::format("{}", fmt::join(texts, ","));
}

// The primitives that `has` holds for, by the shorter list: "only for a, b" or "not for c"; empty
// for all.
template <class Has>
std::string whose(const declaration& declared, Has has) {
  std::vector<std::string> names[2];
  for (const primitive& each : declared.primitives) names[has(each)].push_back(each.name);
  if (names[false].empty()) return "";
  const std::string without = fmt::format("not for {}", fmt::join(names[false], ", "));
  const std::string with = fmt::format("only for {}", fmt::join(names[true], ", "));
  return with.size() <= without.size() ? with : without;
}

// Values that --tune tries for `which`, and for whom if not for all that have it, `owners`; empty
// if for none.
std::string tuning_of(const axis& which, const declaration& declared, const std::string& owners) {
  bool any = false;
  const std::string tuned = whose(declared, [&](const primitive& each) {
    const std::vector<std::string> tunable = tunable_axes(declared, each);
    const bool found = std::find(tunable.begin(), tunable.end(), which.name) != tunable.end();
    any |= found;
    return found;
  });
  if (!any) return "";
  return fmt::format("; --tune tries {}{}{}", list_of(which, tuning_values(which)),
                     tuned == owners ? "" : ", ", tuned == owners ? "" : tuned);
}

std::string describe(const axis& which, const declaration& declared) {
  const std::string owners = whose(declared, [&](const primitive& each) {
    const std::vector<axis> had = axes_of(declared, each, declared.axes);
    return named(had, which.name) != had.end();
  });
  return fmt::format("{} ({}{}; default {}{}{}{})", which.help,
                     which.unit.empty() ? "" : "unit: " + which.unit + "; ", range_of(which),
                     list_of(which, which.values), owners.empty() ? "" : "; ", owners,
                     tuning_of(which, declared, owners));
}

// In one line, or in a line for each option.
std::string example(const declaration& declared) {
  std::vector<std::string> parts = {declared.name};
  if (!declared.primitives.empty())
    parts.front() += " --primitive " + declared.primitives.front().name;
  if (declared.primitives.size() > 1) parts.front() += "," + declared.primitives[1].name;
  if (!declared.axes.empty())
    parts.push_back(fmt::format("--{} {}", declared.axes.front().name,
                                list_of(declared.axes.front(), declared.axes.front().values)));
  parts.push_back(fmt::format("--benchmark_out={}.json", declared.name));
  const std::string line = fmt::format("  {}", fmt::join(parts, " "));
  return line.size() <= columns ? line : fmt::format("  {}", fmt::join(parts, " \\\n    "));
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
      {"--tune",
       "choose the axes above marked '--tune tries' by short runs, for each point; an axis given "
       "on the command line keeps its values"},
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
  return wrapped(fmt::format("{}: {}", declared.name, declared.description)) +
         fmt::format("\n\nusage: {} [--primitive NAME,...] [--AXIS VALUE,...] [options]\n",
                     declared.name) +
         section("Primitives (--primitive NAME,... or all; default all):", primitives) +
         section(
             "Axes (each takes VALUE,...; every combination is a point; 1K is 1024, 1M is "
             "1048576):",
             axes) +
         section("Tuning (on a GPU only):", tuning) +
         section("Machine (each takes one value):", settings) +
         section("Google Benchmark (these and its other --benchmark_ flags):", google) +
         section("Exit status:", exits) + "\nExample:\n" + example(declared) + "\n";
}

}  // namespace finesync::bench
