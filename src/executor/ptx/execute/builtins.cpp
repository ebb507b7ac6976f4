// SPDX-License-Identifier: Apache-2.0
#include <ptx/execute/builtins.hpp>
#include <ptx/execute/thread_state.hpp>
#include <simt/arena.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace ptx {

namespace {

constexpr std::size_t longest_text = 1 << 12;

template <class T>
T value_at(std::uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

void check_readable(const thread_state& t, const instruction& i, std::uint64_t address,
                    std::size_t bytes) {
  const auto* const at = reinterpret_cast<const std::byte*>(address);
  if (!t.is_private(at, bytes) && !simt::global_memory().holds(at, bytes))
    fail_at(i, text_outside_of_memory);
}

std::string text_at(const thread_state& t, const instruction& i, std::uint64_t address) {
  std::string text;
  for (; text.size() < longest_text; ++address) {
    check_readable(t, i, address, 1);
    const char next = value_at<char>(address);
    if (next == '\0') break;
    text += next;
  }
  return text;
}

/// The values that follow a format, each aligned to its size.
class arguments {
 public:
  arguments(const thread_state& t, const instruction& i, std::uint64_t at)
      : thread_(t), instruction_(i), at_(at) {}

  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    check_readable(thread_, instruction_, at_, sizeof(T));
    at_ += sizeof(T);
    return value_at<T>(at_ - sizeof(T));
  }

 private:
  const thread_state& thread_;
  const instruction& instruction_;
  std::uint64_t at_;
};

template <class T>
std::string printed(const std::string& conversion, T value) {
  std::array<char, 256> text{};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(text.data(), text.size(), conversion.c_str(), value);
#pragma GCC diagnostic pop
  return text.data();
}

/// What may stand between a % and the letter of its conversion.
struct printed_form {
  std::string plain{};  ///< "%-5.2": without lengths, with numbers in the place of each *
  bool is_long = false;
};

constexpr int widest = 255;  // more is cut: a number's text has a place of fixed size

/// Takes the characters that are among these from the beginning.
std::string_view take_among(std::string_view characters, std::string_view& from) {
  const std::string_view taken =
      from.substr(0, std::min(from.find_first_not_of(characters), from.size()));
  from.remove_prefix(taken.size());
  return taken;
}

/// A width or a precision, if there is one.
std::optional<int> take_number(std::string_view& from, arguments& values) {
  if (from.starts_with('*')) {
    from.remove_prefix(1);
    return std::clamp(values.next<std::int32_t>(), -widest, widest);
  }
  const std::string_view digits = take_among("0123456789", from);
  if (digits.empty()) return {};
  int number = 0;
  for (const char digit : digits) number = std::min(10 * number + (digit - '0'), widest);
  return number;
}

/// What follows a %, up to the letter.
printed_form take_conversion(std::string_view& from, arguments& values) {
  printed_form found{.plain = "%"};
  found.plain += take_among("-+ #0", from);
  if (const auto width = take_number(from, values)) found.plain += fmt::format("{}", *width);
  if (from.starts_with('.')) {
    from.remove_prefix(1);
    const int precision = take_number(from, values).value_or(0);
    if (precision >= 0) found.plain += fmt::format(".{}", precision);  // a negative one: none
  }
  found.is_long = take_among("hljzt", from).find_first_of("ljzt") != std::string_view::npos;
  return found;
}

std::string converted(const thread_state& t, const instruction& i, const printed_form& how,
                      char letter, arguments& values) {
  switch (letter) {
    case '%':
      return "%";
    case 'd':
    case 'i':
      return printed(how.plain + "lld",
                     how.is_long ? values.next<long long>() : values.next<int>());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return printed(how.plain + "ll" + letter,
                     how.is_long ? values.next<unsigned long long>() : values.next<unsigned>());
    case 'c':
      return printed(how.plain + letter, values.next<int>());
    case 'p':
      return fmt::format("{:#x}", values.next<std::uint64_t>());
    case 's':
      return text_at(t, i, values.next<std::uint64_t>());
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return printed(how.plain + letter, values.next<double>());
    default:
      return how.plain + letter;  // as it stands: printf must not meet it
  }
}

}  // namespace

void print_formatted(thread_state& t, const instruction& i, const std::uint64_t* passed) {
  const std::string format = text_at(t, i, value_at<std::uint64_t>(passed[1]));
  arguments values(t, i, value_at<std::uint64_t>(passed[2]));
  std::string text;
  for (std::string_view left = format; !left.empty();) {
    const char next = left.front();
    left.remove_prefix(1);
    if (next != '%') {
      text += next;
      continue;
    }
    const printed_form how = take_conversion(left, values);
    if (left.empty()) {
      text += how.plain;
      break;
    }
    text += converted(t, i, how, left.front(), values);
    left.remove_prefix(1);
  }
  if (t.launch().options->print) t.launch().options->print(text);
  const auto written = static_cast<std::int32_t>(text.size());
  std::memcpy(reinterpret_cast<void*>(passed[0]), &written, sizeof written);
}

void fail_assertion(thread_state& t, const instruction& i, const std::uint64_t* passed) {
  const auto text = [&](std::size_t index) {
    return text_at(t, i, value_at<std::uint64_t>(passed[index]));
  };
  const std::string claim = fmt::format("Assertion `{}' failed at {}", text(0), text(1));
  fail_at(i,
          {.kind = simt::fault_kind::instruction,
           .rule = "failed-assertion",
           .reason = fmt::format("{}:{} in {}", claim, value_at<std::uint32_t>(passed[2]), text(3)),
           .subject = claim});
}

void allocate_memory(thread_state& t, const instruction&, const std::uint64_t* passed) {
  const launch_options& options = *t.launch().options;
  const auto bytes = value_at<std::uint64_t>(passed[1]);
  void* const made = options.allocate ? options.allocate(bytes) : nullptr;
  std::memcpy(reinterpret_cast<void*>(passed[0]), &made, sizeof made);
}

void release_memory(thread_state& t, const instruction& i, const std::uint64_t* passed) {
  const launch_options& options = *t.launch().options;
  void* const memory = reinterpret_cast<void*>(value_at<std::uint64_t>(passed[0]));
  if (memory != nullptr && options.release && !options.release(memory))
    fail_at(i, freed_without_malloc);
}

}  // namespace ptx
