#include <inputs/line_cursor.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace finesync::inputs {

std::optional<line_cursor::real_number> line_cursor::real() const {
  double read = 0;
  const char* const digits = after_plus();
  const auto [end, problem] = std::from_chars(digits, end_, read);
  if (problem == std::errc::invalid_argument || !ends_number(end)) return std::nullopt;
  // Of a number outside the range, from_chars does not say whether it is too small or too large.
  if (problem == std::errc::result_out_of_range)
    read = std::strtod(std::string(digits, end).c_str(), nullptr);
  if (!std::isfinite(read)) return std::nullopt;
  return real_number{read, end};
}

std::uint64_t line_cursor::whole_real(const char* what, std::uint64_t least, std::uint64_t most) {
  const auto read = real();
  if (!read || read->value != std::floor(read->value) || read->value < static_cast<double>(least) ||
      read->value > static_cast<double>(most))
    refuse_outside(what, least, most);
  at_ = read->end;
  return static_cast<std::uint64_t>(read->value);
}

float line_cursor::value() {
  const auto read = real();
  const auto rounded = static_cast<float>(read ? read->value : 0);
  if (!read || !std::isfinite(rounded)) refuse("a finite number");
  at_ = read->end;
  return rounded;
}

float line_cursor::integer_value() {
  std::int64_t read = 0;
  const auto [end, problem] = std::from_chars(after_plus(), end_, read);
  if (problem != std::errc() || !ends_number(end)) refuse("an integer of 64 bits");
  at_ = end;
  return static_cast<float>(read);
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

void line_cursor::refuse_outside(const char* what, std::uint64_t least, std::uint64_t most) const {
  refuse(fmt::format("{} from {} to {}", what, least, most));
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 24;
  std::string printable(text.substr(0, most));
  std::replace_if(
      printable.begin(), printable.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > most ? printable + "..." : printable;
}

}  // namespace finesync::inputs
