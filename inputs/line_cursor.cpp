#include <inputs/line_cursor.hpp>

#include <algorithm>
#include <cmath>

namespace finesync::inputs {

float line_cursor::value() {
  // As a double: a value outside the range of float then becomes zero or the nearest float.
  double read = 0;
  const char* const digits = next_is('+') ? at_ + 1 : at_;
  const auto [end, problem] = std::from_chars(digits, end_, read);
  const auto rounded = static_cast<float>(read);
  if (problem != std::errc() || !std::isfinite(rounded) || !ends_number(end))
    refuse("a finite number");
  at_ = end;
  return rounded;
}

std::string_view line_cursor::word() {
  const char* const first = at_;
  while (!at_line_end() && *at_ != ' ' && *at_ != '\t') ++at_;
  return {first, static_cast<std::size_t>(at_ - first)};
}

void line_cursor::skip_line() {
  at_ = std::find(at_, end_, '\n');
  if (at_end()) return;
  ++at_;
  ++line_;
}

void line_cursor::refuse(const std::string& expected) const {
  const std::string_view next = line_cursor(*this).word();
  const std::string found = at_line_end()  ? "the end of the line"
                            : next.empty() ? "a blank"
                                           : fmt::format("'{}'", shown(next));
  fail(fmt::format("expected {}, found {}", expected, found));
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 24;
  std::string printable(text.substr(0, most));
  std::replace_if(
      printable.begin(), printable.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > most ? printable + "..." : printable;
}

}  // namespace finesync::inputs
