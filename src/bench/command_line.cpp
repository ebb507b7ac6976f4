// SPDX-License-Identifier: Apache-2.0
#include <bench/command_line.hpp>
#include <bench/named.hpp>
#include <bench/spelling.hpp>
#include <bench/text_list.hpp>
#include <bench/usage_error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace finesync::bench {
namespace {

std::vector<std::string> names_of(const std::vector<primitive>& primitives) {
  std::vector<std::string> names;
  for (const primitive& each : primitives) names.push_back(each.name);
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_somebody_has(const declaration& declared, const sweep_request& asked,
                        const std::string& axis_name) {
  std::vector<std::string> having;
  for (const primitive& each : declared.primitives) {
    const std::vector<axis> had = axes_of(declared, each, declared.axes);
    if (named(had, axis_name) == had.end()) continue;
    if (contains(asked.primitives, each.name)) return;
    having.push_back(each.name);
  }
  throw usage_error(fmt::format("--{}: only {} {} it", axis_name, fmt::join(having, ", "),
                                having.size() == 1 ? "has" : "have"));
}

std::string did_you_mean(const std::string& suggestion) {
  return suggestion.empty() ? "" : fmt::format(", did you mean '{}'?", suggestion);
}

std::vector<std::string> parse_primitives(const std::vector<std::string>& known,
                                          const std::string& text) {
  if (text == "all") return known;
  std::vector<std::string> chosen;
  for (const std::string_view item : items_of(text, "--primitive")) {
    const std::string name(item);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw usage_error(fmt::format("--primitive: there is no '{}'{} (known: {})", name,
                                    did_you_mean(nearest(name, known)), fmt::join(known, ", ")));
    if (std::find(chosen.begin(), chosen.end(), name) != chosen.end())
      throw usage_error(fmt::format("--primitive: '{}' is given twice", name));
    chosen.push_back(name);
  }
  return chosen;
}

// The options of one program; most take one string.
class option_set {
 public:
  option_set() {
    app_.set_help_flag();
    app_.allow_extras();
  }

  void add(const std::string& name) {
    names_.push_back("--" + name);
    options_.push_back(app_.add_option_function<std::vector<std::string>>(
        names_.back(), [](const std::vector<std::string>&) {}));
    options_.back()->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  // An option without a value.
  void add_flag(const std::string& name) {
    names_.push_back("--" + name);
    options_.push_back(app_.add_flag(names_.back()));
    options_.back()->disable_flag_override()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the last first
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::ParseError& problem) {
      throw usage_error(problem.what());
    }
    reject_extras();
    for (std::size_t i = 0; i < options_.size(); ++i)
      if (options_[i]->count() > 1) throw usage_error(names_[i] + " is given more than once");
  }

  // The user's text for the option added as the i-th; empty if not given.
  std::string value(std::size_t i) const {
    return options_[i]->count() == 0 ? "" : options_[i]->results().front();
  }

  bool given(std::size_t i) const { return options_[i]->count() != 0; }

 private:
  void reject_extras() const {
    const std::vector<std::string> extras = app_.remaining();
    if (extras.empty()) return;
    const std::string name = extras.front().substr(0, extras.front().find('='));
    if (name.rfind('-', 0) != 0)
      throw usage_error(fmt::format("unexpected argument '{}'", extras.front()));
    throw usage_error(fmt::format("unknown option '{}'{} (see --help)", name,
                                  did_you_mean(nearest(name, names_))));
  }

  CLI::App app_;
  std::vector<std::string> names_;
  std::vector<CLI::Option*> options_;
};

}  // namespace

std::vector<axis> axes_of(const declaration& declared, const primitive& which,
                          const std::vector<axis>& axes) {
  std::vector<axis> had;
  for (const axis& each : axes)
    if (contains(which.axes, each.name) ||
        std::none_of(declared.primitives.begin(), declared.primitives.end(),
                     [&](const primitive& other) { return contains(other.axes, each.name); }))
      had.push_back(each);
  return had;
}

std::vector<std::string> tunable_axes(const declaration& declared, const primitive& which) {
  const std::vector<axis> had = axes_of(declared, which, declared.axes);
  std::vector<std::string> names;
  for (const std::string& each : which.tunable)
    if (named(had, each) != had.end()) names.push_back(each);
  for (const std::string& own : which.axes)
    if (!contains(names, own) && !named(declared.axes, own)->candidates.empty())
      names.push_back(own);
  return names;
}

void check_axes_of_primitives(const declaration& declared) {
  for (const primitive& each : declared.primitives) {
    const auto check = [&](bool right, const std::string& axis_name, const char* problem) {
      if (!right)
        throw std::invalid_argument(
            fmt::format("primitive '{}': axis '{}' {}", each.name, axis_name, problem));
    };
    for (const auto* names : {&each.axes, &each.tunable})
      for (const std::string& name : *names)
        check(named(declared.axes, name) != declared.axes.end(), name, "does not exist");
    std::set<std::string> seen;
    for (const std::string& name : tunable_axes(declared, each)) {
      check(!named(declared.axes, name)->candidates.empty(), name, "has no candidates");
      check(seen.insert(name).second, name, "is named twice");
    }
  }
}

sweep_request parse_request(const declaration& declared, const std::vector<machine_option>& machine,
                            const std::vector<std::string>& arguments) {
  option_set options;
  options.add("primitive");
  for (const axis& each : declared.axes) options.add(each.name);
  for (const machine_option& each : machine) options.add(each.name);
  options.add_flag("tune");
  options.parse(arguments);

  sweep_request asked;
  std::size_t next = 0;
  const std::vector<std::string> known = names_of(declared.primitives);
  asked.primitives = options.given(next) ? parse_primitives(known, options.value(next)) : known;
  ++next;
  for (const axis& each : declared.axes) {
    asked.axes.push_back(each);
    if (options.given(next)) {
      asked.axes.back().values = parse_values(each, options.value(next));
      asked.held.push_back(each.name);
      check_somebody_has(declared, asked, each.name);
    }
    ++next;
  }
  for (std::size_t i = 0; i < machine.size(); ++i)
    asked.machine_settings.push_back(options.value(next++));
  asked.tune = options.given(next);
  return asked;
}

}  // namespace finesync::bench
