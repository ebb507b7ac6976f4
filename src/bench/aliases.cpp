// SPDX-License-Identifier: Apache-2.0
#include <bench/aliases.hpp>
#include <bench/command_line.hpp>
#include <bench/named.hpp>
#include <bench/text_list.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace finesync::bench {
namespace {

using names = std::map<std::string, std::string>;

names names_of_primitives(const declaration& declared) {
  names today;
  for (const primitive& each : declared.primitives)
    for (const std::string& former : each.aliases)
      if (named(declared.primitives, former) == declared.primitives.end())
        today.emplace(former, each.name);
  return today;
}

// The former names of an option's values, except those that are current names.
names names_of_values(const declaration& declared, const std::string& option) {
  if (option == "primitive") return names_of_primitives(declared);
  const auto which = named(declared.axes, option);
  const auto former = declared.aliases.values.find(option);
  if (which == declared.axes.end() || former == declared.aliases.values.end()) return {};
  names today = former->second;
  for (const std::string& name : which->names) today.erase(name);
  return today;
}

class renaming {
 public:
  explicit renaming(const declaration& declared) : declared_(declared) {}

  std::string option(const std::string& given) {
    const auto former = declared_.aliases.axes.find(given);
    if (former == declared_.aliases.axes.end() || is_axis(given) || !is_axis(former->second))
      return given;
    say(fmt::format("--{}", given), fmt::format("--{}", former->second));
    return former->second;
  }

  std::string values(const std::string& of_option, const std::string& given) {
    const names today = names_of_values(declared_, of_option);
    std::vector<std::string> list;
    for (const std::string_view value : split_at_commas(given)) {
      list.emplace_back(value);
      const auto former = today.find(list.back());
      if (former == today.end()) continue;
      list.back() = former->second;
      say(fmt::format("--{} {}", of_option, value),
          fmt::format("--{} {}", of_option, former->second));
    }
    return fmt::format("{}", fmt::join(list, ","));
  }

  std::vector<std::string> changes() const { return changes_; }

 private:
  bool is_axis(const std::string& name) const {
    return named(declared_.axes, name) != declared_.axes.end();
  }

  void say(const std::string& former, const std::string& today) {
    changes_.push_back(fmt::format("{} is now {}", former, today));
  }

  const declaration& declared_;
  std::vector<std::string> changes_;
};

}  // namespace

std::vector<std::string> use_names_of_today(const declaration& declared,
                                            std::vector<std::string>& arguments) {
  renaming names(declared);
  std::string option;  // the option that the next values belong to
  for (std::string& argument : arguments) {
    if (argument.rfind("--", 0) != 0) {
      argument = names.values(option, argument);
      continue;
    }
    const std::size_t sign = std::min(argument.find('='), argument.size());
    option = names.option(argument.substr(2, sign - 2));
    const std::string values = argument.substr(sign);
    argument = "--" + option;
    if (!values.empty()) argument += "=" + names.values(option, values.substr(1));
  }
  return names.changes();
}

}  // namespace finesync::bench
