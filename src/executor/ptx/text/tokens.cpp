// SPDX-License-Identifier: Apache-2.0
#include <ptx/error.hpp>
#include <ptx/text/tokens.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ptx {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_part_of_word(char c) {
  return is_letter(c) || is_digit(c);
}

class lexer {
 public:
  explicit lexer(std::string_view text) : rest_(text) {}

  std::vector<token> all() {
    std::vector<token> found;
    do found.push_back(next());
    while (found.back().kind != token_kind::end);
    return found;
  }

 private:
  std::string_view take(std::size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    line_ += static_cast<std::uint32_t>(std::count(taken.begin(), taken.end(), '\n'));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  [[noreturn]] void refuse(const char* why) const {
    throw error(fmt::format("PTX line {}: {}", line_, why));
  }

  std::size_t word_length(std::size_t from) const {
    std::size_t at = from;
    while (at < rest_.size() && is_part_of_word(rest_[at])) ++at;
    return at;
  }

  void skip_blanks() {
    for (;;) {
      if (rest_.empty()) return;
      if (std::string_view(" \t\r\n\f\v").find(rest_.front()) != std::string_view::npos) {
        take(1);
      } else if (rest_.starts_with("//")) {
        take(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/", 2);
        if (end == std::string_view::npos) refuse("the comment does not end");
        take(end + 2);
      } else if (rest_.front() == '\0') {
        rest_ = {};  // fat binaries are padded with zeros
      } else {
        return;
      }
    }
  }

  token next() {
    skip_blanks();
    const std::uint32_t line = line_;
    if (rest_.empty()) return {token_kind::end, {}, line};
    const char first = rest_.front();
    if (is_letter(first)) return {token_kind::word, take(word_length(0)), line};
    if (is_digit(first)) return {token_kind::number, take(word_length(0)), line};
    if (first == '"') {
      const std::size_t end = rest_.find('"', 1);
      if (end == std::string_view::npos) refuse("the string does not end");
      return {token_kind::string, take(end + 1).substr(1, end - 1), line};
    }
    if (first == '.' && word_length(1) > 1) {
      std::size_t length = word_length(1);
      while (rest_.substr(length).starts_with("::") && word_length(length + 2) > length + 2)
        length = word_length(length + 2);
      return {token_kind::dotted, take(length), line};
    }
    if (std::string_view("{}()[],;:@!|<>+-=").find(first) == std::string_view::npos)
      refuse("PTX has no such character");
    return {token_kind::symbol, take(1), line};
  }

  std::string_view rest_;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<token> tokens_of(std::string_view text) {
  return lexer(text).all();
}

}  // namespace ptx
