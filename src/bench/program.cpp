// SPDX-License-Identifier: Apache-2.0
#include <bench/google_flags.hpp>
#include <bench/json_reporter.hpp>
#include <bench/program.hpp>
#include <bench/standard_streams.hpp>
#include <bench/sweep.hpp>
#include <bench/usage_error.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace finesync::bench {
namespace {

template <class Items>
bool has_name(const Items& items, const std::string& name) {
  return std::any_of(items.begin(), items.end(),
                     [&](const auto& item) { return item.name == name; });
}

std::optional<help_of> asked_help(const std::vector<std::string>& arguments) {
  const auto flag = std::find_if(
      arguments.begin(), arguments.end(),
      [](const std::string& argument) { return argument == "--help" || argument == "-h"; });
  if (flag == arguments.end()) return {};
  return flag + 1 != arguments.end() && flag[1] == "all" ? help_of::all : help_of::usual;
}

// Applied here and not by Google Benchmark, whose names have suffixes that no row shows.
std::vector<untuned_point> matching(std::vector<untuned_point> points, const std::string& program,
                                    std::string filter) {
  if (filter.empty() || filter == "all") return points;
  const std::string asked = filter;
  const bool inverted = filter.front() == '-';
  if (inverted) filter.erase(0, 1);
  std::regex pattern;
  try {
    pattern.assign(filter, std::regex::extended);
  } catch (const std::regex_error&) {
    throw usage_error(fmt::format("--benchmark_filter: '{}' is not a regular expression", filter));
  }
  const auto unwanted = [&](const untuned_point& each) {
    return std::regex_search(each.name(program), pattern) == inverted;
  };
  points.erase(std::remove_if(points.begin(), points.end(), unwanted), points.end());
  if (points.empty())
    throw usage_error(fmt::format("--benchmark_filter: no point matches '{}'", asked));
  return points;
}

// Applies the settings and returns those in effect, defaults included.
std::map<std::string, std::string> apply(const std::vector<machine_option>& options,
                                         const std::vector<std::string>& settings) {
  std::map<std::string, std::string> in_effect;
  for (std::size_t i = 0; i < options.size(); ++i) {
    in_effect[options[i].name] = settings[i].empty() ? options[i].default_value : settings[i];
    if (settings[i].empty()) continue;
    try {
      options[i].set(settings[i]);
    } catch (const std::invalid_argument& problem) {
      throw usage_error(fmt::format("--{}: {}", options[i].name, problem.what()));
    }
  }
  return in_effect;
}

// The driver's view of the GPU; without one a line says so, as results then lack it.
std::unique_ptr<gpu_monitor> start_monitor(const std::string& program,
                                           const machine_interface& machine, run_facts& facts) {
  try {
    auto monitor = machine.monitor ? machine.monitor() : nullptr;
    if (monitor) facts.card = monitor->card();
    return monitor;
  } catch (const std::exception& problem) {
    facts.card = {{"unmonitored", std::string(problem.what())}};
    fmt::print(stderr, "{}: the results will lack driver, UUID and clocks: {}\n", program,
               problem.what());
    return nullptr;
  }
}

}  // namespace

program::program(std::string name, std::string description, machine_interface machine)
    : declared_{std::move(name), std::move(description)}, machine_(std::move(machine)) {}

program& program::axis(finesync::bench::axis declared) {
  check_declaration(declared);
  if (declared.name == "primitive" || declared.name == "help" || declared.name == "tune" ||
      has_name(declared_.axes, declared.name))
    throw std::invalid_argument(fmt::format("the axis name '{}' is taken", declared.name));
  declared_.axes.push_back(std::move(declared));
  return *this;
}

program& program::primitive(finesync::bench::primitive declared) {
  if (declared.name.empty() || declared.name == "all" ||
      declared.name.find_first_of(",/: ") != std::string::npos)
    throw std::invalid_argument(fmt::format("primitive '{}' has an unusable name", declared.name));
  if (has_name(declared_.primitives, declared.name))
    throw std::invalid_argument(fmt::format("the primitive name '{}' is taken", declared.name));
  declared_.primitives.push_back(std::move(declared));
  return *this;
}

int program::run(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  return run(words, words);
}

int program::run(const std::vector<std::string>& words,
                 const std::vector<std::string>& command_line) {
  occupy_standard_streams();
  int status = 2;
  try {
    status = run_request(words, command_line);
  } catch (const std::exception& problem) {
    print_error(declared_.name, problem.what());
  }
  return with_output_written(declared_.name, status);
}

int program::run_request(const std::vector<std::string>& words,
                         const std::vector<std::string>& command_line) const {
  std::string name = words.front();
  std::vector<std::string> arguments(words.begin() + 1, words.end());
  check_axes_of_primitives(declared_);
  const std::vector<machine_option> options = machine_.options();
  if (const auto what = asked_help(arguments)) {
    std::fputs(help_text(declared_, options, *what).c_str(), stdout);
    return 0;
  }
  const google_flags flags(arguments);
  const sweep_request asked = parse_request(declared_, options, arguments);
  std::optional<results_file> results;
  if (!flags.out().empty()) results.emplace(flags.out());
  flags.initialize(name.data(), results ? results->partial().string() : "", machine_.repetitions);
  check_custom_context();
  const std::vector<untuned_point> points =
      matching(untuned_points(declared_, asked), declared_.name, benchmark::GetBenchmarkFilter());
  if (flags.list_tests()) {
    for (const untuned_point& each : points) std::puts(each.name(declared_.name).c_str());
    return 0;
  }
  run_facts facts{.program = declared_.name,
                  .command_line = command_line,
                  .machine_settings = apply(options, asked.machine_settings),
                  .gpu = machine_.gpu()};
  if (asked.tune && facts.gpu.simulated)
    throw usage_error("--tune needs a GPU: times on the host executor say nothing about one");
  if (results) results->open();
  const std::unique_ptr<gpu_monitor> monitor = start_monitor(declared_.name, machine_, facts);
  return run_sweep(
      {declared_, points, asked.tune, machine_, flags, results, monitor.get(), std::move(facts)});
}

}  // namespace finesync::bench
