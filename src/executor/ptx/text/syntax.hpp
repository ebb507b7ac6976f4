// SPDX-License-Identifier: Apache-2.0
// What the text of a PTX module says, with names as they stand. The views refer to the text.
#pragma once

#include <ptx/module.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ptx {

/// A place in the source of a kernel.
struct location {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  /// Index of the location that this one was inlined at; its own index: none.
  std::uint32_t inlined_at = 0;
};

enum class type_class : std::uint8_t { predicate, bits, signed_integer, unsigned_integer, real };

struct type {
  type_class what = type_class::bits;
  std::uint8_t bytes = 0;       ///< of one element
  std::uint8_t elements = 1;    ///< 2: packed
  bool is_alternative = false;  ///< bf16, tf32
  bool operator==(const type&) const = default;
};

/// From ".u32", ".pred", ".bf16x2", ...; nothing if it is no such name.
std::optional<type> type_named(std::string_view dotted);

enum class address_space : std::uint8_t { generic, global, shared, constant, local, parameter };

/// Any declared piece of memory: a variable, a parameter, a returned value.
struct memory_syntax {
  std::string_view name;
  address_space space = address_space::generic;
  std::size_t bytes = 0;
  std::size_t alignment = 1;
};

struct operand_syntax {
  enum class kind : std::uint8_t {
    name,     ///< a register, a variable, a label, a function; perhaps + offset
    number,   ///< `text`
    address,  ///< [parts... + offset]; parts.front() is a name or number
    group,    ///< {a, b}, (a, b)
    pair,     ///< a|b
  };
  kind what = kind::name;
  bool is_negated = false;  ///< !p, or -1
  std::string_view text{};
  std::int64_t offset = 0;
  std::vector<operand_syntax> parts{};
};

struct statement {
  std::string_view guard{};  ///< the predicate; empty if there is none
  bool is_guard_negated = false;
  std::string_view opcode{};                  ///< "ld"
  std::vector<std::string_view> modifiers{};  ///< ".global", ".u32"
  std::vector<operand_syntax> operands{};
  std::uint32_t text_line = 0;  ///< of the PTX
  std::uint32_t location = 0;   ///< in module_syntax::locations
  std::uint32_t scope = 0;
};

struct register_range {
  type of;
  std::uint32_t count = 0;  ///< %r<count>; 0: a single register of that name
  std::uint32_t first_slot = 0;
};

/// What is between braces.
struct scope_syntax {
  std::uint32_t parent = 0;  ///< its own index: the function's own
  std::unordered_map<std::string_view, register_range> registers{};
  std::vector<memory_syntax> variables{};
  std::unordered_map<std::string_view, std::uint32_t> labels{};  ///< index of a statement
  std::unordered_map<std::string_view, std::vector<std::string_view>> branch_targets{};
};

struct function_syntax {
  std::string_view name;
  bool is_kernel = false;
  bool has_body = false;
  std::vector<memory_syntax> results;
  std::vector<memory_syntax> parameters;
  std::unordered_map<std::string_view, kernel::extent> attributes;  ///< ".maxntid"
  std::vector<statement> statements;
  std::vector<scope_syntax> scopes;
  std::uint32_t register_slots = 0;  ///< of 64 bits
};

struct module_syntax {
  std::map<std::uint32_t, std::string> files;
  std::vector<location> locations{location{}};  ///< the first: unknown
  std::vector<variable> variables;
  std::vector<function_syntax> functions;
};

/// The innermost line of the location that is not in one of the CUDA toolkit's headers, and the
/// lines that it was inlined from, three in all: "file:line, from file:line"; empty if there is
/// none.
std::string source_line(const module_syntax& module, std::uint32_t location);

/// \throws error.
module_syntax parse(std::string_view text);

/// Adds another module of the program: a name that one of them defines is that for both.
void link(module_syntax& to, module_syntax what);

/// The value of a whole number, as 64 bits, or the bits of a real one (0f, 0d); nothing if it is
/// malformed.
std::optional<std::uint64_t> integer_value(std::string_view number);
std::optional<double> real_value(std::string_view number);

}  // namespace ptx
