// Reads numbers from a text, line by line, and reports the line of an error.
#pragma once

#include <inputs/input_error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace finesync::inputs {

/// A position in a text. Lines end in LF or CRLF; blanks are spaces and tabs. Anything unexpected
/// is an input_error with its line.
class line_cursor {
 public:
  /// `file` is the name in errors. Both must outlive the cursor.
  line_cursor(std::string_view text, const std::string& file)
      : at_(text.data()), end_(text.data() + text.size()), file_(file) {}

  bool at_end() const { return at_ == end_; }
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }
  bool next_is(char c) const { return at_ != end_ && *at_ == c; }

  bool at_line_end() const {
    return at_end() || *at_ == '\n' || (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n');
  }

  void skip_blanks() {
    while (next_is(' ') || next_is('\t')) ++at_;
  }

  /// Skips these characters, which must come next.
  void expect(std::string_view wanted) {
    if (std::string_view(at_, bytes_left()).substr(0, wanted.size()) != wanted)
      refuse(fmt::format("'{}'", wanted));
    at_ += wanted.size();
  }

  /// Reads the next integer; errors call it `what`.
  std::uint64_t integer(const char* what, std::uint64_t least, std::uint64_t most) {
    std::uint64_t read = 0;
    const auto [end, problem] = std::from_chars(at_, end_, read);
    if (problem != std::errc() || read < least || read > most || !ends_number(end))
      refuse(fmt::format("{} from {} to {}", what, least, most));
    at_ = end;
    return read;
  }

  /// Reads the next number, which must be a finite float.
  float value();

  /// Reads up to a blank or the end of the line; empty at the end of the line.
  std::string_view word();

  /// Goes to the next line; only blanks may remain in this one.
  void end_line() {
    skip_blanks();
    if (!at_line_end()) refuse("the end of the line");
    skip_line();
  }

  /// Goes to the next line and ignores the rest of this one.
  void skip_line();

  [[noreturn]] void fail(const std::string& what) const { throw input_error(file_, line_, what); }
  /// Throws because `expected` does not come next.
  [[noreturn]] void refuse(const std::string& expected) const;

 private:
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
