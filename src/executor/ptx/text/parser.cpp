// SPDX-License-Identifier: Apache-2.0
// Modules and the declarations of memory in them.
#include <ptx/text/parser.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace ptx {

namespace {

constexpr std::size_t largest_variable = std::size_t{1} << 32;
constexpr std::size_t largest_alignment = 1 << 12;

std::optional<address_space> space_named(std::string_view dotted) {
  if (dotted == ".global") return address_space::global;
  if (dotted == ".shared") return address_space::shared;
  if (dotted == ".const") return address_space::constant;
  if (dotted == ".local") return address_space::local;
  if (dotted == ".param") return address_space::parameter;
  return {};
}

bool is_linkage(std::string_view dotted) {
  return dotted == ".visible" || dotted == ".extern" || dotted == ".weak" || dotted == ".common";
}

void append(variable& to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    to.initial.push_back(static_cast<std::byte>(i < 8 ? value >> (8 * i) : 0));
}

/// = {1, {2, 3}}, = name + 4, = generic(name)
void take_values(cursor& in, const type& of, std::size_t bytes, variable& to) {
  std::size_t depth = 0;
  do {
    while (in.accept("{")) ++depth;
    if (in.at("}")) {
    } else if (in.at(token_kind::word)) {
      const bool is_generic = in.at("generic") && in.after().is("(");
      if (is_generic) in.take(), in.expect("(");
      variable::address_of address{.offset = to.initial.size(),
                                   .name = std::string(in.take_word())};
      if (is_generic) in.expect(")");
      if (in.accept("+")) address.addend = static_cast<std::int64_t>(in.take_integer(1u << 31));
      if (of.bytes != 8)
        in.refuse(fmt::format("an address needs a variable of 8 bytes, not {}", of.bytes));
      to.addresses.push_back(std::move(address));
      append(to, 0, 8);
    } else {
      const bool is_negative = in.accept("-");
      const token& number = in.take();
      if (const auto real = real_value(number.text); real && of.what == type_class::real) {
        append(to,
               of.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(*real))
                             : std::bit_cast<std::uint64_t>(*real),
               of.bytes);
      } else if (const auto value = integer_value(number.text)) {
        append(to, is_negative ? 0 - *value : *value, of.bytes);
      } else {
        in.refuse("the value is not a number or an address");
      }
    }
    while (depth > 0 && in.accept("}")) --depth;
    if (to.initial.size() > bytes)
      in.refuse("there are more values than the variable has room for");
  } while (in.accept(","));
  if (depth > 0) in.refuse("the closing brace of the values is missing");
}

}  // namespace

const token& cursor::take() {
  const token& taken = here();
  if (!at_end()) ++at_;
  return taken;
}

bool cursor::accept(std::string_view what) {
  if (!at(what)) return false;
  take();
  return true;
}

void cursor::expect(std::string_view what) {
  if (!accept(what)) refuse(fmt::format("expected '{}'", what));
}

std::string_view cursor::take_word() {
  if (!at(token_kind::word)) refuse("expected a name");
  return take().text;
}

std::uint64_t cursor::take_integer(std::uint64_t most) {
  const auto value = at(token_kind::number) ? integer_value(here().text) : std::nullopt;
  if (!value || *value > most) refuse(fmt::format("expected an integer up to {}", most));
  take();
  return *value;
}

void cursor::skip_line() {
  const std::uint32_t line = here().line;
  while (!at_end() && here().line == line) take();
}

void cursor::skip_past(std::string_view what) {
  while (!at_end() && !at(what)) take();
  expect(what);
}

void cursor::refuse(std::string_view why) const {
  throw error(at_end() ? fmt::format("PTX line {}: {}, at the end", here().line, why)
                       : fmt::format("PTX line {}: {}, at '{}'", here().line, why, here().text));
}

std::optional<std::uint64_t> integer_value(std::string_view number) {
  if (number.ends_with('U')) number.remove_suffix(1);
  int base = 10;
  if (number.starts_with("0x") || number.starts_with("0X")) {
    base = 16;
    number.remove_prefix(2);
  } else if (number.starts_with("0b") || number.starts_with("0B")) {
    base = 2;
    number.remove_prefix(2);
  } else if (number.size() > 1 && number.front() == '0') {
    base = 8;
  }
  std::uint64_t value = 0;
  const auto [end, problem] =
      std::from_chars(number.data(), number.data() + number.size(), value, base);
  if (problem != std::errc{} || end != number.data() + number.size()) return {};
  return value;
}

std::optional<double> real_value(std::string_view number) {
  if (number.size() < 3 || number[0] != '0') return {};
  const char kind = static_cast<char>(number[1] | 0x20);
  const std::size_t digits = kind == 'f' ? 8 : 16;
  if ((kind != 'f' && kind != 'd') || number.size() != 2 + digits) return {};
  std::uint64_t bits = 0;
  const char* const last = number.data() + number.size();
  const auto [end, problem] = std::from_chars(number.data() + 2, last, bits, 16);
  if (problem != std::errc{} || end != last) return {};
  return kind == 'f' ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                     : std::bit_cast<double>(bits);
}

std::optional<type> type_named(std::string_view dotted) {
  using enum type_class;
  static const std::unordered_map<std::string_view, type> types{{".pred", {predicate, 1}},
                                                                {".b8", {bits, 1}},
                                                                {".b16", {bits, 2}},
                                                                {".b32", {bits, 4}},
                                                                {".b64", {bits, 8}},
                                                                {".b128", {bits, 16}},
                                                                {".u8", {unsigned_integer, 1}},
                                                                {".u16", {unsigned_integer, 2}},
                                                                {".u32", {unsigned_integer, 4}},
                                                                {".u64", {unsigned_integer, 8}},
                                                                {".s8", {signed_integer, 1}},
                                                                {".s16", {signed_integer, 2}},
                                                                {".s32", {signed_integer, 4}},
                                                                {".s64", {signed_integer, 8}},
                                                                {".f16", {real, 2}},
                                                                {".f32", {real, 4}},
                                                                {".f64", {real, 8}},
                                                                {".f16x2", {real, 2, 2}},
                                                                {".bf16", {real, 2, 1, true}},
                                                                {".bf16x2", {real, 2, 2, true}},
                                                                {".tf32", {real, 4, 1, true}},
                                                                {".texref", {bits, 8}},
                                                                {".surfref", {bits, 8}},
                                                                {".samplerref", {bits, 8}}};
  const auto found = types.find(dotted);
  if (found == types.end()) return {};
  return found->second;
}

bool at_declaration(const cursor& in) {
  return in.at(token_kind::dotted) && (space_named(in.here().text) || is_linkage(in.here().text)) &&
         !in.after().is(".func") && !in.after().is(".entry");
}

declared take_declaration(cursor& in) {
  declared found;
  std::optional<type> of;
  std::size_t elements = 1;
  bool points = false;  // .ptr says what a parameter points to
  while (in.at(token_kind::dotted)) {
    const std::string_view word = in.take().text;
    if (word == ".align") {
      const std::uint64_t alignment = in.take_integer(largest_alignment);
      if (!std::has_single_bit(alignment))
        in.refuse(fmt::format("the alignment {} is not a power of two", alignment));
      if (!points) found.memory.alignment = alignment;
    } else if (word == ".ptr") {
      points = true;
    } else if (word == ".attribute") {
      in.skip_past(")");
    } else if (word == ".v2" || word == ".v4" || word == ".v8") {
      elements = static_cast<std::size_t>(word[2] - '0');
    } else if (is_linkage(word)) {
      found.contents.is_external = found.contents.is_external || word == ".extern";
    } else if (const auto space = space_named(word)) {
      if (!points) found.memory.space = *space;
    } else if (const auto named = type_named(word)) {
      of = named;
    } else {
      in.refuse("this part of the declaration is not supported");
    }
  }
  if (!of) in.refuse("the declaration has no type");
  found.memory.name = in.take_word();
  const std::size_t element = std::size_t{of->bytes} * of->elements * elements;
  found.memory.bytes = element;
  while (in.accept("[")) {
    const std::size_t count = in.at("]") ? 0 : in.take_integer(largest_variable);
    if (count > 0 && found.memory.bytes > largest_variable / count)
      in.refuse("the variable is larger than 4 GiB");
    found.memory.bytes *= count;
    in.expect("]");
  }
  found.memory.alignment =
      std::max(found.memory.alignment, std::bit_floor(std::min<std::size_t>(element, 16)));
  if (in.accept("=")) take_values(in, *of, found.memory.bytes, found.contents);
  return found;
}

std::vector<memory_syntax> take_parameters(cursor& in) {
  std::vector<memory_syntax> all;
  if (!in.accept("(") || in.accept(")")) return all;
  do all.push_back(take_declaration(in).memory);
  while (in.accept(","));
  in.expect(")");
  return all;
}

namespace {

/// A name may be declared several times; its definition counts.
template <class T>
void replace(std::vector<T>& in, T one, bool is_definition) {
  const auto found =
      std::find_if(in.begin(), in.end(), [&](const T& other) { return other.name == one.name; });
  if (found == in.end())
    in.push_back(std::move(one));
  else if (is_definition)
    *found = std::move(one);
}

class module_reader {
 public:
  explicit module_reader(std::string_view text) : tokens_(tokens_of(text)), in_(tokens_) {}

  module_syntax all() {
    while (!in_.at_end()) take_one();
    return std::move(found_);
  }

 private:
  void take_one() {
    if (in_.accept(";")) return;
    if (in_.at(".version") || in_.at(".target") || in_.at(".address_size")) {
      is_ptx_ = true;
      return in_.skip_line();
    }
    if (!is_ptx_) in_.refuse("PTX begins with .version");
    if (in_.accept(".file")) {
      const auto number = static_cast<std::uint32_t>(in_.take_integer(~std::uint32_t{0}));
      if (!in_.at(token_kind::string)) in_.refuse("expected a file name");
      found_.files[number] = in_.take().text;
      while (in_.accept(",")) in_.take_integer(~std::uint64_t{0});
    } else if (in_.at(".section")) {
      in_.skip_past("{");
      in_.skip_past("}");
    } else if (in_.at(".pragma") || in_.at(".alias")) {
      in_.skip_past(";");
    } else if (in_.at(".loc")) {
      location_reader(found_.locations).take(in_);
    } else if (at_declaration(in_)) {
      do take_variable();
      while (in_.accept(","));
      in_.expect(";");
    } else {
      take_function();
    }
  }

  void take_variable() {
    declared one = take_declaration(in_);
    using enum address_space;
    if (one.memory.space != global && one.memory.space != constant && one.memory.space != shared)
      in_.refuse("a module's variables are .global, .const or .shared");
    variable made = std::move(one.contents);
    made.name = one.memory.name;
    made.space = one.memory.space == global     ? state_space::global
                 : one.memory.space == constant ? state_space::constant
                                                : state_space::shared;
    made.bytes = one.memory.bytes;
    made.alignment = one.memory.alignment;
    replace(found_.variables, std::move(made), !made.is_external);
  }

  void take_function() {
    function_syntax made;
    while (in_.at(".visible") || in_.at(".extern") || in_.at(".weak") || in_.at(".common"))
      in_.take();
    made.is_kernel = in_.at(".entry");
    if (!made.is_kernel && !in_.at(".func")) in_.refuse("expected a variable or a function");
    in_.take();
    if (in_.accept(".attribute")) in_.skip_past(")");
    made.results = take_parameters(in_);
    if (made.is_kernel && !made.results.empty()) in_.refuse("a kernel has no results");
    made.name = in_.take_word();
    made.parameters = take_parameters(in_);
    while (in_.at(token_kind::dotted)) take_attribute(made);
    made.has_body = in_.accept("{");
    if (made.has_body)
      take_body(in_, made, found_.locations);
    else
      in_.expect(";");
    replace(found_.functions, std::move(made), made.has_body);
  }

  void take_attribute(function_syntax& of) {
    const std::string_view name = in_.take().text;
    kernel::extent& values = of.attributes[name];
    if (name == ".pragma") return in_.skip_past(";");
    if (!in_.at(token_kind::number)) return;
    values = {1, 1, 1};
    std::size_t i = 0;
    do {
      const auto value = static_cast<std::uint32_t>(in_.take_integer(~std::uint32_t{0}));
      if (i < values.size()) values[i++] = value;
    } while (in_.accept(","));
  }

  std::vector<token> tokens_;
  cursor in_;
  bool is_ptx_ = false;
  module_syntax found_;
};

}  // namespace

module_syntax parse(std::string_view text) {
  return module_reader(text).all();
}

void link(module_syntax& to, module_syntax what) {
  const std::uint32_t files = to.files.empty() ? 0 : to.files.rbegin()->first + 1;
  const auto places = static_cast<std::uint32_t>(to.locations.size()) - 1;  // both have a first one
  const auto moved = [=](std::uint32_t place) { return place == 0 ? 0 : place + places; };
  for (auto& [number, name] : what.files) to.files[files + number] = std::move(name);
  for (std::size_t i = 1; i < what.locations.size(); ++i) {
    const location& one = what.locations[i];
    to.locations.push_back({files + one.file, one.line, one.column, moved(one.inlined_at)});
  }
  for (variable& each : what.variables) {
    const bool is_definition = !each.is_external;
    replace(to.variables, std::move(each), is_definition);
  }
  for (function_syntax& each : what.functions) {
    for (statement& one : each.statements) one.location = moved(one.location);
    const bool is_definition = each.has_body;
    replace(to.functions, std::move(each), is_definition);
  }
}

}  // namespace ptx
