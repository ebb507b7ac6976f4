// SPDX-License-Identifier: Apache-2.0
// Bodies of functions.
#include <ptx/module.hpp>
#include <ptx/text/parser.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ptx {

namespace {

constexpr std::uint32_t most_slots = 1 << 20;
constexpr std::size_t deepest_operand = 8;

class body_reader {
 public:
  body_reader(cursor& in, function_syntax& function, std::vector<location>& locations)
      : in_(in), to_(function), locations_(locations) {
    to_.scopes.resize(1);
  }

  void all() {
    for (;;) {
      if (in_.accept("{")) {
        to_.scopes.push_back({.parent = scope_});
        scope_ = static_cast<std::uint32_t>(to_.scopes.size() - 1);
      } else if (in_.accept("}")) {
        if (scope_ == 0) break;
        scope_ = to_.scopes[scope_].parent;
      } else if (in_.accept(";")) {
      } else if (in_.at(".reg")) {
        take_registers();
      } else if (in_.at(".loc")) {
        location_ = locations_.take(in_);
      } else if (in_.at(".pragma")) {
        in_.skip_past(";");
      } else if (at_declaration(in_)) {
        take_variable();
      } else if (in_.at(token_kind::word) && in_.after().is(":")) {
        take_label();
      } else {
        take_statement();
      }
    }
  }

 private:
  scope_syntax& scope() { return to_.scopes[scope_]; }

  void take_registers() {
    in_.expect(".reg");
    std::uint32_t elements = 1;
    if (in_.at(".v2") || in_.at(".v4")) in_.refuse("vector registers are not supported");
    const auto of = type_named(in_.take().text);
    if (!of) in_.refuse("the registers have no type");
    const std::uint32_t slots = of->bytes == 16 ? 2 : 1;
    do {
      const std::string_view name = in_.take_word();
      register_range range{*of, 0, to_.register_slots};
      if (in_.accept("<")) {
        range.count = elements = static_cast<std::uint32_t>(in_.take_integer(most_slots));
        in_.expect(">");
      } else {
        elements = 1;
      }
      to_.register_slots += elements * slots;
      if (to_.register_slots > most_slots)
        in_.refuse(fmt::format("the function has more than {} registers", most_slots));
      scope().registers[name] = range;
    } while (in_.accept(","));
    in_.expect(";");
  }

  void take_variable() {
    do {
      declared one = take_declaration(in_);
      if (!one.contents.initial.empty())
        in_.refuse("a function's variables have no initial values");
      scope().variables.push_back(one.memory);
    } while (in_.accept(","));
    in_.expect(";");
  }

  void take_label() {
    const std::string_view name = in_.take_word();
    in_.expect(":");
    if (in_.accept(".branchtargets")) {
      auto& targets = scope().branch_targets[name];
      do targets.push_back(in_.take_word());
      while (in_.accept(","));
      in_.expect(";");
    } else if (in_.at(".callprototype") || in_.at(".calltargets")) {
      in_.skip_past(";");
    } else {
      scope().labels[name] = static_cast<std::uint32_t>(to_.statements.size());
    }
  }

  void take_statement() {
    statement made{.text_line = in_.here().line, .location = location_, .scope = scope_};
    if (in_.accept("@")) {
      made.is_guard_negated = in_.accept("!");
      made.guard = in_.take_word();
    }
    made.opcode = in_.take_word();
    while (in_.at(token_kind::dotted)) made.modifiers.push_back(in_.take().text);
    if (!in_.at(";")) {
      do made.operands.push_back(take_operand(0));
      while (in_.accept(","));
    }
    in_.expect(";");
    to_.statements.push_back(std::move(made));
  }

  operand_syntax take_operand(std::size_t depth) {
    if (depth > deepest_operand)
      in_.refuse(fmt::format("operands are nested more than {} deep", deepest_operand));
    operand_syntax one = take_simple(depth);
    if (!in_.accept("|")) return one;
    operand_syntax pair{.what = operand_syntax::kind::pair};
    pair.parts.push_back(std::move(one));
    pair.parts.push_back(take_simple(depth));
    return pair;
  }

  operand_syntax take_simple(std::size_t depth) {
    operand_syntax one;
    if (in_.accept("{")) return take_list("}", depth, operand_syntax::kind::group);
    if (in_.accept("(")) return take_list(")", depth, operand_syntax::kind::group);
    if (in_.accept("[")) return take_list("]", depth, operand_syntax::kind::address);
    one.is_negated = in_.accept("!") || in_.accept("-");
    if (in_.at(token_kind::number)) {
      one.what = operand_syntax::kind::number;
      one.text = in_.take().text;
    } else {
      one.text = in_.take_word();
      while (in_.at(token_kind::dotted)) {  // %tid.x
        const std::string_view part = in_.take().text;
        if (part.data() != one.text.data() + one.text.size()) in_.refuse("a name has no blanks");
        one.text = {one.text.data(), one.text.size() + part.size()};
      }
    }
    if (in_.accept("+"))
      one.offset = take_offset(in_.accept("-"));
    else if (in_.accept("-"))
      one.offset = take_offset(true);
    return one;
  }

  std::int64_t take_offset(bool is_negative) {
    const auto value = static_cast<std::int64_t>(in_.take_integer(~std::uint64_t{0} >> 1));
    return is_negative ? -value : value;
  }

  operand_syntax take_list(std::string_view closing, std::size_t depth, operand_syntax::kind what) {
    operand_syntax list{.what = what};
    if (in_.accept(closing)) return list;
    do list.parts.push_back(take_operand(depth + 1));
    while (in_.accept(","));
    in_.expect(closing);
    return list;
  }

  cursor& in_;
  function_syntax& to_;
  location_reader locations_;
  std::uint32_t scope_ = 0;
  std::uint32_t location_ = 0;
};

/// Whether the file is one of the CUDA toolkit's own headers.
bool is_of_toolkit(std::string_view file) {
  static constexpr std::string_view parts[] = {"/include/cuda",    "/include/cooperative_groups",
                                               "/include/crt",     "/include/cub/",
                                               "/include/cccl/",   "/include/thrust/",
                                               "/include/nv/",     "/include/sm_",
                                               "/include/device_", "/include/vector_",
                                               "/include/math_"};
  return std::any_of(std::begin(parts), std::end(parts), [&](std::string_view part) {
    return file.find(part) != std::string_view::npos;
  });
}

}  // namespace

location_reader::place location_reader::take_place(cursor& in) {
  constexpr std::uint64_t most = ~std::uint32_t{0};
  place found{};
  found.file = static_cast<std::uint32_t>(in.take_integer(most));
  found.line = static_cast<std::uint32_t>(in.take_integer(most));
  found.column = static_cast<std::uint32_t>(in.take_integer(most));
  return found;
}

std::uint32_t location_reader::take(cursor& in) {
  in.expect(".loc");
  const place here = take_place(in);
  const auto index = static_cast<std::uint32_t>(locations_.size());
  location made{here.file, here.line, here.column, index};
  if (in.accept(",")) {
    in.expect("function_name");
    in.take_word();
    if (in.accept("+")) in.take_integer(~std::uint64_t{0});
    in.expect(",");
    in.expect("inlined_at");
    const place outer = take_place(in);
    if (const auto known = latest_.find(outer); known != latest_.end()) {
      made.inlined_at = known->second;
    } else {
      made.inlined_at = index + 1;
    }
    locations_.push_back(made);
    if (made.inlined_at == index + 1)
      locations_.push_back({outer.file, outer.line, outer.column, index + 1});
  } else {
    locations_.push_back(made);
  }
  latest_[here] = index;
  return index;
}

void take_body(cursor& in, function_syntax& function, std::vector<location>& locations) {
  body_reader(in, function, locations).all();
}

namespace {

/// nvcc writes "\303\266" for bytes that are not ASCII.
std::string unescaped(const std::string& path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const std::string digits = path.substr(i + 1, 3);
    const bool is_escape = path[i] == '\\' && digits.size() == 3 &&
                           digits.find_first_not_of("01234567") == std::string::npos;
    text += is_escape ? static_cast<char>(std::stoi(digits, nullptr, 8)) : path[i];
    if (is_escape) i += digits.size();
  }
  return text;
}

/// Ends with a "/".
std::string& folder_of_sources() {
  static std::string folder = std::filesystem::current_path().string() + "/";
  return folder;
}

/// Two files of one name must not be taken for one.
std::string shown(const std::string& escaped) {
  const std::string path = std::filesystem::path(unescaped(escaped)).lexically_normal().string();
  const std::string& folder = folder_of_sources();
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}

}  // namespace

void show_sources_from(const std::string& folder) {
  folder_of_sources() = folder + (folder.ends_with('/') ? "" : "/");
}

std::string source_line(const module_syntax& module, std::uint32_t location) {
  std::string of_toolkit;
  std::string chain;
  constexpr int longest = 3;
  int length = 0;
  for (std::uint32_t at = location;;) {
    const auto& [file, line, column, outer] = module.locations[at];
    const auto name = module.files.find(file);
    if (line != 0 && name != module.files.end()) {
      const std::string text = fmt::format("{}:{}", shown(name->second), line);
      if (is_of_toolkit(name->second)) {
        if (of_toolkit.empty()) of_toolkit = text;
      } else {
        chain += chain.empty() ? text : ", from " + text;
        ++length;
      }
    }
    if (outer == at || length == longest) return chain.empty() ? of_toolkit : chain;
    at = outer;
  }
}

}  // namespace ptx
