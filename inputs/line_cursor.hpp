// Reads numbers out of a text, line by line, and says where it is wrong.
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

/// A place in a text. Lines end in LF or CRLF; blanks are spaces and tabs. Whatever is not as
/// expected is an input_error of the line it is in.
class line_cursor {
 public:
  /// `file` is what errors call the text. Both must outlive the cursor.
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

  /// Goes past these characters, which must come next.
  void expect(std::string_view wanted) {
    if (std::string_view(at_, bytes_left()).substr(0, wanted.size()) != wanted)
      refuse(fmt::format("'{}'", wanted));
    at_ += wanted.size();
  }

  /// The digits that come next; errors call them `what`.
  std::uint64_t integer(const char* what, std::uint64_t least, std::uint64_t most) {
    std::uint64_t read = 0;
    const auto [end, problem] = std::from_chars(at_, end_, read);
    if (problem != std::errc() || read < least || read > most || !ends_number(end))
      refuse(fmt::format("{} from {} to {}", what, least, most));
    at_ = end;
    return read;
  }

  /// The number that comes next, which must be a finite float.
  float value();

  /// What comes next up to a blank or the end of the line; empty at the end of the line.
  std::string_view word();

  /// Goes to the next line; only blanks may be left of this one.
  void end_line() {
    skip_blanks();
    if (!at_line_end()) refuse("the end of the line");
    skip_line();
  }

  /// Goes to the next line, whatever is left of this one.
  void skip_line();

  [[noreturn]] void fail(const std::string& what) const { throw input_error(file_, line_, what); }
  /// Fails because `expected` is not what comes next.
  [[noreturn]] void refuse(const std::string& expected) const;

 private:
  // A number is over, rather than going on as something that is no number.
  bool ends_number(const char* at) const {
    return at == end_ || *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || *at == ':';
  }

  const char* at_;
  const char* end_;
  const std::string& file_;
  std::size_t line_ = 1;
};

/// Unquoted text from a file, fit for a message: the first characters, no control characters.
std::string shown(std::string_view text);

}  // namespace finesync::inputs
