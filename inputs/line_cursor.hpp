// Reads numbers from a text, line by line, and reports the line of an error.
#pragma once

#include <inputs/input_error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace finesync::inputs {

/// A position in a text. Lines end in LF or CRLF; blanks are spaces and tabs. Numbers are decimal
/// and may have a sign. Anything unexpected is an input_error with its line.
class line_cursor {
 public:
  /// `file` is the name in errors. Both must outlive the cursor.
  line_cursor(std::string_view text, const std::string& file)
      : at_(text.data()), end_(text.data() + text.size()), file_(file) {}

  bool at_end() const { return at_ == end_; }
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }
  bool next_is(char c) const { return at_ != end_ && *at_ == c; }

  bool at_line_end() const {
    return at_end() || *at_ == '\n' || (*at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n'));
  }

  void skip_blanks() {
    while (next_is(' ') || next_is('\t')) ++at_;
  }

  /// Goes to the first word from here on, over blanks and empty lines. False if there is none.
  bool find_word() {
    for (skip_blanks(); !at_end() && at_line_end(); skip_blanks()) skip_line();
    return !at_end();
  }

  /// Skips these characters, which must come next.
  void expect(std::string_view wanted) {
    if (std::string_view(at_, bytes_left()).substr(0, wanted.size()) != wanted)
      refuse(fmt::format("'{}'", wanted));
    at_ += wanted.size();
  }

  /// Skips the next word, which must be this one.
  void expect_word(std::string_view wanted) {
    if (line_cursor(*this).word() != wanted) refuse(fmt::format("'{}'", wanted));
    at_ += wanted.size();
  }

  /// Reads the next integer; errors call it `what`.
  std::uint64_t integer(const char* what, std::uint64_t least, std::uint64_t most) {
    std::uint64_t read = 0;
    const auto [end, problem] = std::from_chars(after_plus(), end_, read);
    if (problem != std::errc() || read < least || read > most || !ends_number(end))
      refuse_outside(what, least, most);
    at_ = end;
    return read;
  }

  /// The same for a number that may be written as a real one: 5.0, 7e0.
  std::uint64_t whole_real(const char* what, std::uint64_t least, std::uint64_t most);

  /// Reads the next number, which must be a finite float; one too small for a float is zero.
  float value();

  /// The same for an integer.
  float integer_value();

  /// Reads up to a blank or the end of the line; empty at the end of the line.
  std::string_view word();

  /// Goes to the next line; only blanks may remain in this one.
  void end_line() {
    skip_blanks();
    if (!at_line_end()) refuse("the end of the line");
    skip_line();
  }

  /// The same, and this line must have an end: a number at the end of a text may be cut short.
  void end_whole_line() {
    skip_blanks();
    if (at_end()) fail("the file ends within a line");
    end_line();
  }

  /// Goes to the next line and ignores the rest of this one.
  void skip_line();

  [[noreturn]] void fail(const std::string& what) const { throw input_error(file_, line_, what); }
  /// Throws because `expected` does not come next.
  [[noreturn]] void refuse(const std::string& expected) const;

 private:
  // The digits after a plus sign, if that is what comes next.
  const char* after_plus() const {
    const bool is_sign =
        next_is('+') && at_ + 1 != end_ && (at_[1] == '.' || (at_[1] >= '0' && at_[1] <= '9'));
    return is_sign ? at_ + 1 : at_;
  }
  // The next number, if it is finite; the position stays before it.
  struct real_number {
    double value;
    const char* end;
  };
  std::optional<real_number> real() const;
  [[noreturn]] void refuse_outside(const char* what, std::uint64_t least, std::uint64_t most) const;

  // Whether a number ends here and no other characters follow directly.
  bool ends_number(const char* at) const {
    return at == end_ || *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || *at == ':';
  }

  const char* at_;
  const char* end_;
  const std::string& file_;
  std::size_t line_ = 1;
};

/// Text from a file for a message, unquoted: the first characters, without control characters.
std::string shown(std::string_view text);

}  // namespace finesync::inputs
