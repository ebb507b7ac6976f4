// SPDX-License-Identifier: Apache-2.0
// From a code address to a source line, by addr2line (binutils), if the program has line numbers.
#include <simt/launch.hpp>
#include <simt/source_position.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <cxxabi.h>
#include <dlfcn.h>

namespace simt {

namespace {

struct pipe_closer {
  void operator()(FILE* pipe) const { pclose(pipe); }
};

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, pipe_closer> pipe(popen(command.c_str(), "r"));
  std::string text;
  if (!pipe) return text;
  std::array<char, 256> part;
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe.get()) != nullptr)
    text += part.data();
  return text;
}

/// The same, of a command that always says the same. Many runs find the same races.
std::string known_output_of(const std::string& command) {
  static std::mutex one_at_a_time;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(one_at_a_time);
  const auto [found, is_new] = known.try_emplace(command);
  if (is_new) found->second = output_of(command);
  return found->second;
}

/// Parts of paths, see step_over_sources().
std::vector<std::string_view>& stepped_over() {
  static std::vector<std::string_view> parts{"src/executor/simt/", "simt/cuda_names.hpp",
                                             "simt/cuda_atomics.hpp"};
  return parts;
}

/// See library_sources().
std::vector<std::string_view>& libraries() {
  static std::vector<std::string_view> parts;
  return parts;
}

using site_explainer = std::string (*)(const void*);
std::vector<site_explainer>& explainers() {
  static std::vector<site_explainer> of_process;
  return of_process;
}

bool has_part_of(const std::vector<std::string_view>& parts, std::string_view file) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return file.find(part) != std::string_view::npos;
  });
}

/// The innermost line of the user, and the innermost one of the library that it calls, from the
/// output of addr2line --inlines: alternating function names and positions. Accesses are inlined
/// from wrappers, whose lines tell nothing.
std::string chosen_line(std::string_view frames) {
  std::string first;
  std::string in_library;
  for (bool is_position = false; !frames.empty(); is_position = !is_position) {
    const std::size_t end = std::min(frames.find('\n'), frames.size());
    const std::string_view line = frames.substr(0, end);
    frames.remove_prefix(std::min(end + 1, frames.size()));
    if (!is_position || line.starts_with("??")) continue;
    const std::string_view position = line.substr(0, line.find(" (discriminator"));
    const bool is_absent = position.ends_with(":?") || position.ends_with(":0");
    if (is_absent) continue;
    std::string name(position.substr(position.rfind('/') + 1));
    if (has_part_of(stepped_over(), position)) {
      if (first.empty()) first = std::move(name);
    } else if (!has_part_of(libraries(), position)) {
      return in_library.empty() ? name : fmt::format("{}, in {}", name, in_library);
    } else if (in_library.empty()) {
      in_library = std::move(name);
    }
  }
  return in_library.empty() ? first : in_library;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return text ? text.get() : name;
}

}  // namespace

bool step_over_sources(std::string_view part_of_path) {
  stepped_over().push_back(part_of_path);
  return true;
}

bool library_sources(std::string_view part_of_path) {
  libraries().push_back(part_of_path);
  return true;
}

bool explain_sites_with(site_explainer explain) {
  explainers().push_back(explain);
  return true;
}

std::string source_position(const code_place& place) {
  const void* const code = place.code;
  for (const site_explainer explain : explainers())
    if (std::string known = explain(code); !known.empty()) return known;
  Dl_info where = {};
  if (code == nullptr || dladdr(code, &where) == 0 || where.dli_fname == nullptr) return {};
  std::string command =
      fmt::format("2>/dev/null addr2line --functions --inlines --exe='{}'", where.dli_fname);
  const auto add = [&](const void* each) {
    // A return address is one past the call.
    command += fmt::format(
        " {:#x}", static_cast<const char*>(each) - static_cast<const char*>(where.dli_fbase) - 1);
  };
  add(code);
  std::for_each(place.callers.begin(), place.callers.end(), add);
  const std::string line = chosen_line(known_output_of(command));
  if (!line.empty()) return line;
  return where.dli_sname == nullptr ? std::string() : demangled(where.dli_sname);
}

std::string source_line(const code_place& place) {
  const std::string position = source_position(place);
  const std::string line = position.substr(0, position.find(','));
  const bool has_number = line.find_last_not_of("0123456789") == line.rfind(':');
  return has_number ? line : std::string();
}

}  // namespace simt
