// SPDX-License-Identifier: Apache-2.0
// The parts of the parser: a cursor over tokens, declarations of memory, and bodies of functions.
#pragma once

#include <ptx/text/syntax.hpp>
#include <ptx/text/tokens.hpp>

#include <span>

namespace ptx {

class cursor {
 public:
  explicit cursor(std::span<const token> tokens) : tokens_(tokens) {}

  const token& here() const { return tokens_[at_]; }
  const token& after() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  bool at_end() const { return here().kind == token_kind::end; }
  bool at(std::string_view what) const { return here().is(what); }
  bool at(token_kind kind) const { return here().kind == kind; }

  const token& take();
  bool accept(std::string_view what);
  void expect(std::string_view what);
  std::string_view take_word();
  std::uint64_t take_integer(std::uint64_t most);
  void skip_line();
  void skip_past(std::string_view what);

  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::span<const token> tokens_;
  std::size_t at_ = 0;
};

struct declared {
  memory_syntax memory;
  variable contents;  ///< `initial`, `addresses`, `is_external` alone
};

/// Whether a declaration of memory begins here.
bool at_declaration(const cursor& in);

/// From its linkage or state space to before what follows: a comma, a parenthesis, a semicolon.
declared take_declaration(cursor& in);

/// (a, b): parameters or results.
std::vector<memory_syntax> take_parameters(cursor& in);

/// .loc
class location_reader {
 public:
  explicit location_reader(std::vector<location>& locations) : locations_(locations) {}

  /// \returns the index of the location.
  std::uint32_t take(cursor& in);

 private:
  struct place {
    std::uint32_t file, line, column;
    auto operator<=>(const place&) const = default;
  };
  static place take_place(cursor& in);

  std::vector<location>& locations_;
  std::map<place, std::uint32_t> latest_;  ///< what is inlined names its place alone
};

/// From after { to after }.
void take_body(cursor& in, function_syntax& function, std::vector<location>& locations);

}  // namespace ptx
