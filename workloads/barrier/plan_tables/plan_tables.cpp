#include <workloads/barrier/plan_tables/plan_tables.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ranges>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace finesync::barrier {
namespace {

constexpr const char* automatic = "auto";

const plan_table* known(const std::string& name) {
  const auto found = std::ranges::find(measured_gpus, name,
                                       [](const measured_gpu& each) { return each.table.name; });
  return found == std::end(measured_gpus) ? nullptr : &found->table;
}

std::string contents_of(const std::string& file) {
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error("cannot read the plan table '" + file + "'");
  return text;
}

/// \throws std::out_of_range if the number is not in [least, most].
unsigned number_of(const std::string& digits, unsigned least, unsigned most) {
  const unsigned long value = std::stoul(digits);
  if (value < least || value > most) throw std::out_of_range(digits);
  return static_cast<unsigned>(value);
}

/// \throws std::out_of_range for a topology or a number that a plan cannot have.
measured_plan plan_of(const std::smatch& fields) {
  const auto how = std::ranges::find(topology_names, fields[3].str());
  if (how == std::end(topology_names)) throw std::out_of_range(fields[3]);
  return {.blocks = number_of(fields[1], 1, 1u << 20),
          .threads_per_block = number_of(fields[2], 1, 1024),
          .plan = {.how = static_cast<counter_topology>(how - std::begin(topology_names)),
                   .counters = number_of(fields[4], 1, 32),
                   .replicas = number_of(fields[5], 1, 16),
                   .sides = number_of(fields[6], 1, 2),
                   .first_poll = number_of(fields[7], 0, 1u << 20)}};
}

}  // namespace

std::vector<std::string> known_plan_tables() {
  std::vector<std::string> names{automatic};
  for (const measured_gpu& each : measured_gpus) names.emplace_back(each.table.name);
  return names;
}

loaded_plans::loaded_plans(std::string name, const std::string& which) : name_(std::move(name)) {
  if (which == automatic) return;
  if (const plan_table* table = known(which))
    plans_.assign(table->plans.begin(), table->plans.end());
  else
    plans_ = parse_plans(contents_of(which), which);
}

std::vector<measured_plan> parse_plans(std::string_view text, const std::string& name) {
  static const std::regex row(
      R"(\{(\d+), (\d+), \{counter_topology::(\w+), (\d+), (\d+), (\d+), (\d+)\}\},\s*)");
  static const std::regex no_row(R"(\s*(//.*)?)");
  std::istringstream lines{std::string(text)};
  std::vector<measured_plan> plans;
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    if (std::regex_match(line, no_row)) continue;
    const std::string place = name + ":" + std::to_string(number) + ": ";
    std::smatch fields;
    if (!std::regex_match(line, fields, row))
      throw std::runtime_error(place +
                               "not of the form {blocks, threads, {counter_topology::NAME, "
                               "counters, replicas, sides, first poll}},");
    try {
      plans.push_back(plan_of(fields));
    } catch (const std::out_of_range&) {
      throw std::runtime_error(place + "no barrier has such a plan");
    }
    if (!is_in_order(plans))
      throw std::runtime_error(place + "not in the order of threads, then blocks");
  }
  if (plans.empty()) throw std::runtime_error(name + ": has no plan");
  return plans;
}

}  // namespace finesync::barrier
