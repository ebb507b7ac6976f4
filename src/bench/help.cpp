// The text of --help, written here so that it is the same with every version of CLI11.
#include <bench/command_line.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace finesync::bench {
namespace {

using entries = std::vector<std::pair<std::string, std::string>>;

// A heading with two aligned columns below it.
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

// The primitives for which `has` is true, "all" for all; empty for none.
template <class Has>
std::string names_of(const declaration& declared, Has has) {
  std::vector<std::string> names;
  for (const primitive& each : declared.primitives)
    if (has(each)) names.push_back(each.name);
  return !names.empty() && names.size() == declared.primitives.size()
             ? "all"
             : fmt::format("{}", fmt::join(names, ","));
}

// Which values of `which` --tune tries, and for which primitives; empty for none.
std::string tuning_of(const axis& which, const declaration& declared) {
  const std::string whose = names_of(declared, [&](const primitive& each) {
    const std::vector<std::string> tunable = tunable_axes(declared, each);
    return std::find(tunable.begin(), tunable.end(), which.name) != tunable.end();
  });
  if (whose.empty()) return "";
  return fmt::format("; --tune tries {} for {}", list_of(which, tuning_values(which)), whose);
}

std::string describe(const axis& which, const declaration& declared) {
  std::string text = which.help;
  if (!which.unit.empty()) text += fmt::format(", in {}", which.unit);
  const std::string whose = names_of(declared, [&](const primitive& each) {
    return std::find(each.axes.begin(), each.axes.end(), which.name) != each.axes.end();
  });
  return text + fmt::format(" ({}; default {}{}{})", range_of(which), list_of(which, which.values),
                            whose.empty() ? "" : "; of " + whose, tuning_of(which, declared));
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
      {"--tune", "choose the axes marked \"--tune tries\" by quick runs, per primitive and point,"},
      {"", "unless they are given"},
  };
  const entries google = {
      {"--benchmark_out=FILE", "write the results; FILE.partial until they are complete"},
      {"--benchmark_out_format=FORMAT", "json (default), csv or console"},
      {"--benchmark_repetitions=N", "timed runs of each point (default 10)"},
      {"--benchmark_filter=REGEX", "run the matching points only; a leading - inverts"},
      {"--benchmark_list_tests", "print the points and run none"},
      {"--benchmark_counters_tabular=true", "counters as columns"},
      {"--benchmark_display_aggregates_only=true", "show mean, median and spread only"},
  };
  const entries exits = {
      {"0", "every run verified; infeasible points are skipped"},
      {"1", "some run was wrong, timed out, deadlocked or failed, while tuning or later"},
      {"2", "the request is unusable, no point is feasible, or the results cannot be written"},
      {"130, 143", "interrupted; FILE.partial holds the finished points"},
  };
  return fmt::format("{0}: {1}\n\nusage: {0} [--primitive NAME,...] [--AXIS VALUE,...] [options]\n",
                     declared.name, declared.description) +
         section("Primitives (--primitive NAME,... or all; default all):", primitives) +
         section("Axes (each takes VALUE,VALUE,...; 1K is 1024, 1M is 1048576):", axes) +
         section("Tuning (on a GPU only):", tuning) +
         section("Machine (each takes one value):", settings) +
         section("Google Benchmark (these and its other --benchmark_ flags):", google) +
         section("Exit status:", exits) + "\nExample:\n" + example(declared);
}

}  // namespace finesync::bench
