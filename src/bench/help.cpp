// SPDX-License-Identifier: Apache-2.0
// The text of --help. It does not come from CLI11, so it is the same with every version of CLI11.
#include <bench/command_line.hpp>
#include <bench/named.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string_view>

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

std::string with_default(const std::string& help, const std::string& value) {
  return value.empty() ? help : fmt::format("{} (default {})", help, value);
}

// What the usual help says of something that has a longer text: as much as one line holds.
std::string in_a_line(const std::string& help, std::size_t width, const std::string& value) {
  const std::size_t room = width - with_default("", value).size();
  if (help.size() <= room) return with_default(help, value);
  std::size_t most = 0;
  for (const char* end : {"; ", " (", ": ", ", "})
    if (const std::size_t at = help.rfind(end, room); at != std::string::npos)
      most = std::max(most, at);
  if (most > room / 3) return with_default(help.substr(0, most), value);
  constexpr std::string_view more = " ...";
  return with_default(help.substr(0, help.rfind(' ', room - more.size())).append(more), value);
}

// A name, what it is, and its default.
using items = std::vector<std::array<std::string, 3>>;

std::string section(const std::string& heading, const items& lines, help_of what) {
  std::size_t width = 0;
  for (const auto& [name, help, value] : lines) width = std::max(width, name.size());
  entries shown;
  for (const auto& [name, help, value] : lines)
    shown.emplace_back(name, what == help_of::all ? with_default(help, value)
                                                  : in_a_line(help, columns - width - 4, value));
  return section(heading, shown);
}

// On one screen. The primitives that are aside are left out; if the others are too many for a line
// each, they are named.
std::string usual_help(const declaration& declared, const std::string& first, const items& axes,
                       const items& settings) {
  constexpr std::ptrdiff_t screen = 50;
  const std::string heading = "Primitives (--primitive NAME,... or all; default all):";
  items primitives;
  std::string names;
  for (const primitive& each : declared.primitives) {
    if (each.aside) continue;
    primitives.push_back({each.name, each.help, ""});
    names += each.name + " ";
  }
  const std::size_t aside = declared.primitives.size() - primitives.size();
  const std::string more =
      aside == 0 ? "" : fmt::format("{} primitives that are steps or as printed, ", aside);
  const std::string rest =
      section("Axes (each takes VALUE,...; every combination is a point):", axes, help_of::usual) +
      section("Machine (each takes one value):", settings, help_of::usual) + "\n" +
      wrapped(fmt::format("--help all has {}allowed values, --tune, Google Benchmark's flags and "
                          "exit statuses.",
                          more)) +
      "\n\nExample:\n" + example(declared) + "\n";
  const std::string lines = first + section(heading, primitives, help_of::usual) + rest;
  if (std::count(lines.begin(), lines.end(), '\n') <= screen) return lines;
  return first + "\n" + heading + "\n  " + wrapped(names, columns - 2, "\n  ") + "\n" + rest;
}

}  // namespace

std::string help_text(const declaration& declared, const std::vector<machine_option>& machine,
                      help_of what) {
  const std::string first =
      wrapped(fmt::format("{}: {}", declared.name, declared.description)) +
      fmt::format("\n\nusage: {} [--primitive NAME,...] [--AXIS VALUE,...] [options]\n",
                  declared.name);
  items settings;
  for (const machine_option& each : machine)
    settings.push_back({"--" + each.name, each.help, each.default_value});
  if (what == help_of::usual) {
    items axes;
    for (const axis& each : declared.axes)
      axes.push_back({"--" + each.name, each.help, list_of(each, each.values)});
    return usual_help(declared, first, axes, settings);
  }
  entries primitives;
  for (const primitive& each : declared.primitives) primitives.emplace_back(each.name, each.help);
  entries axes;
  for (const axis& each : declared.axes)
    axes.emplace_back("--" + each.name, describe(each, declared));
  const entries tuning = {
      {"--tune",
       "choose the axes above marked '--tune tries' by short runs, for each point; an axis given "
       "on the command line keeps its values"},
  };
  const entries google = {
      {"--benchmark_out=FILE", "write the results to FILE (FILE.partial until they are complete)"},
      {"--benchmark_out_format=FORMAT", "json (default), csv or console"},
      {"--benchmark_repetitions=N", "timed runs per point (default 10; without a GPU 1)"},
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
  return first + section("Primitives (--primitive NAME,... or all; default all):", primitives) +
         section(
             "Axes (each takes VALUE,...; every combination is a point; 1K is 1024, 1M is "
             "1048576):",
             axes) +
         section("Tuning (on a GPU only):", tuning) +
         section("Machine (each takes one value):", settings, what) +
         section("Google Benchmark (these and its other --benchmark_ flags):", google) +
         section("Exit status:", exits) + "\nExample:\n" + example(declared) + "\n";
}

}  // namespace finesync::bench
