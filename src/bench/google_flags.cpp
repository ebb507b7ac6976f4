// SPDX-License-Identifier: Apache-2.0
#include <bench/axis.hpp>
#include <bench/google_flags.hpp>
#include <bench/usage_error.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace finesync::bench {
namespace {

constexpr std::string_view prefix = "--benchmark_";
constexpr std::array<std::string_view, 3> formats = {"json", "csv", "console"};

std::string environment_name(std::string_view flag) {
  std::string name(flag);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

void check_format(std::string_view flag, const std::string& format) {
  if (std::find(formats.begin(), formats.end(), format) == formats.end())
    throw usage_error(fmt::format("--{}: there is no format '{}' (known: {})", flag, format,
                                  fmt::join(formats, ", ")));
}

// Google Benchmark calls this for values that it does not accept, and then exits with status 0.
void refuse_flags() {
  std::fprintf(stderr, "%s: error: a --benchmark_ option has an invalid value\n",
               program_invocation_short_name);
  std::exit(2);
}

}  // namespace

google_flags::google_flags(std::vector<std::string>& arguments) {
  const auto is_ours = [](const std::string& argument) { return argument.rfind(prefix, 0) != 0; };
  const auto google = std::stable_partition(arguments.begin(), arguments.end(), is_ours);
  arguments_.assign(google, arguments.end());
  arguments.erase(google, arguments.end());

  check_format("benchmark_out_format", out_format());
  check_format("benchmark_format", display_format());
  if (const auto repetitions = value("benchmark_repetitions"))
    if (parse_integer(*repetitions, "--benchmark_repetitions") < 1)
      throw usage_error("--benchmark_repetitions: at least 1 is needed");
}

bool google_flags::list_tests() const {
  constexpr std::array<std::string_view, 6> no = {"0", "f", "n", "no", "false", "off"};
  const auto given = value("benchmark_list_tests");
  return given && std::find(no.begin(), no.end(), *given) == no.end();
}

void google_flags::initialize(char* program, const std::string& results, int repetitions) const {
  std::vector<std::string> texts;
  if (!value("benchmark_repetitions"))
    texts.push_back(fmt::format("--benchmark_repetitions={}", repetitions));
  texts.insert(texts.end(), arguments_.begin(), arguments_.end());
  texts.push_back("--benchmark_out=" + results);
  // program::run lists the points, as it knows their names in the results.
  texts.push_back("--benchmark_list_tests=false");

  std::vector<char*> argv = {program};
  for (std::string& text : texts) argv.push_back(text.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data(), refuse_flags);
  if (argc > 1)
    throw usage_error(fmt::format(
        "Google Benchmark does not understand '{}' (write --benchmark_flag=VALUE)", argv[1]));
}

std::optional<std::string> google_flags::value(std::string_view flag) const {
  const std::string name = "--" + std::string(flag);
  for (auto argument = arguments_.rbegin(); argument != arguments_.rend(); ++argument) {
    if (*argument == name) return "";
    if (argument->rfind(name + "=", 0) == 0) return argument->substr(name.size() + 1);
  }
  const char* inherited = std::getenv(environment_name(flag).c_str());
  return inherited ? std::optional<std::string>(inherited) : std::nullopt;
}

}  // namespace finesync::bench
