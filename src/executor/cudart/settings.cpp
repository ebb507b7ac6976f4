// SPDX-License-Identifier: Apache-2.0
#include <cudart/settings.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <stdexcept>

namespace cudart {

namespace {

constexpr const char* gpu_variable = "FINESYNC_CHECK_GPU";
constexpr const char* schedule_variable = "FINESYNC_CHECK_SCHEDULE";
constexpr const char* memory_variable = "FINESYNC_CHECK_MEMORY";
constexpr const char* check_variable = "FINESYNC_CHECK_CHECK";
constexpr const char* seed_variable = "FINESYNC_CHECK_SEED";
constexpr const char* volatile_variable = "FINESYNC_CHECK_VOLATILE";
constexpr const char* zeroed_variable = "FINESYNC_CHECK_ZEROED";
constexpr const char* blocks_variable = "FINESYNC_CHECK_BLOCKS";
constexpr const char* report_variable = "FINESYNC_CHECK_REPORT";
constexpr const char* root_variable = "FINESYNC_CHECK_ROOT";

template <class Value>
std::string name_of(const std::vector<std::pair<std::string, Value>>& names, Value value) {
  for (const auto& [name, named] : names)
    if (named == value) return name;
  throw std::logic_error("the value has no name");
}

std::string value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

[[noreturn]] void unknown(const char* variable, const std::string& allowed) {
  throw std::invalid_argument(
      fmt::format("{} is '{}', not {}", variable, value_of(variable), allowed));
}

template <class Value>
void choose(const char* variable, const std::vector<std::pair<std::string, Value>>& names,
            Value& into) {
  const std::string wanted = value_of(variable);
  if (wanted.empty()) return;
  std::string allowed;
  for (const auto& [name, value] : names) {
    if (name == wanted) {
      into = value;
      return;
    }
    allowed += (allowed.empty() ? "" : " or ") + name;
  }
  unknown(variable, allowed);
}

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const std::string text = value_of(variable);
  if (text.empty()) return otherwise;
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size())
    unknown(variable, "an integer of 64 bits");
  return number;
}

}  // namespace

const schedule_names& schedules() {
  static const schedule_names names = {{"round-robin", simt::schedule_kind::round_robin},
                                       {"random", simt::schedule_kind::random}};
  return names;
}

const memory_names& memories() {
  static const memory_names names = {{"strong", simt::memory_kind::strong},
                                     {"weak", simt::memory_kind::weak}};
  return names;
}

const check_names& checks() {
  static const check_names names = {{"races", simt::checking::races},
                                    {"none", simt::checking::none}};
  return names;
}

const volatile_names& volatiles() {
  static const volatile_names names = {{"relaxed", ptx::volatile_access::relaxed},
                                       {"plain", ptx::volatile_access::plain}};
  return names;
}

std::vector<std::pair<std::string, std::string>> as_environment(const run_settings& what) {
  const simt::settings& executor = what.executor;
  return {{gpu_variable, executor.gpu.name},
          {schedule_variable, name_of(schedules(), executor.schedule)},
          {memory_variable, name_of(memories(), executor.memory)},
          {check_variable, name_of(checks(), executor.check)},
          {seed_variable, fmt::format("{}", executor.seed)},
          {volatile_variable, name_of(volatiles(), what.volatiles)},
          {zeroed_variable, what.zeroed_memory ? "1" : "0"},
          {blocks_variable, fmt::format("{}", executor.checked_blocks)},
          {report_variable, what.report},
          {root_variable, what.root}};
}

run_settings from_environment() {
  run_settings read;
  if (const std::string gpu = value_of(gpu_variable); !gpu.empty())
    read.executor.gpu = simt::find_gpu_model(gpu);
  choose(schedule_variable, schedules(), read.executor.schedule);
  choose(memory_variable, memories(), read.executor.memory);
  if (read.executor.memory == simt::memory_kind::strong)
    read.executor.check = simt::checking::races;
  choose(check_variable, checks(), read.executor.check);
  read.executor.seed = number_in(seed_variable, read.executor.seed);
  choose(volatile_variable, volatiles(), read.volatiles);
  read.zeroed_memory = number_in(zeroed_variable, 0) != 0;
  read.executor.checked_blocks =
      static_cast<std::uint32_t>(number_in(blocks_variable, read.executor.checked_blocks));
  read.report = value_of(report_variable);
  read.root = value_of(root_variable);
  return read;
}

}  // namespace cudart
