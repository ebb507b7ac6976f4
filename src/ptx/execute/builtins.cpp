#include <ptx/execute/builtins.hpp>
#include <ptx/execute/machine.hpp>
#include <simt/arena.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace ptx {

namespace {

constexpr std::size_t longest_text = 1 << 12;

template <class T>
T value_at(std::uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

void check_readable(const machine& m, const instruction& i, std::uint64_t address,
                    std::size_t bytes) {
  const auto* const at = reinterpret_cast<const std::byte*>(address);
  if (!m.is_private(at, bytes) && !simt::global_memory().holds(at, bytes))
    fail_at(i, "text outside of all memory");
}

std::string text_at(const machine& m, const instruction& i, std::uint64_t address) {
  std::string text;
  for (; text.size() < longest_text; ++address) {
    check_readable(m, i, address, 1);
    const char next = value_at<char>(address);
    if (next == '\0') break;
    text += next;
  }
  return text;
}

/// The values that follow a format, each aligned to its size.
class arguments {
 public:
  arguments(const machine& m, const instruction& i, std::uint64_t at)
      : machine_(m), instruction_(i), at_(at) {}

  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    check_readable(machine_, instruction_, at_, sizeof(T));
    at_ += sizeof(T);
    return value_at<T>(at_ - sizeof(T));
  }

 private:
  const machine& machine_;
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

/// One conversion, from % to its letter: without lengths, and * replaced.
std::string converted(const machine& m, const instruction& i, std::string_view conversion,
                      arguments& values) {
  std::string plain;
  std::size_t longs = 0;
  for (const char c : conversion.substr(0, conversion.size() - 1)) {
    if (c == 'l' || c == 'j' || c == 'z' || c == 't')
      ++longs;
    else if (c == '*')
      plain += fmt::format("{}", values.next<std::int32_t>());
    else if (c != 'h')
      plain += c;
  }
  const char letter = conversion.back();
  switch (letter) {
    case '%':
      return "%";
    case 'd':
    case 'i':
      return printed(plain + "lld", longs > 0 ? values.next<long long>() : values.next<int>());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return printed(plain + "ll" + letter,
                     longs > 0 ? values.next<unsigned long long>() : values.next<unsigned>());
    case 'c':
      return printed(plain + letter, values.next<int>());
    case 'p':
      return fmt::format("{:#x}", values.next<std::uint64_t>());
    case 's':
      return text_at(m, i, values.next<std::uint64_t>());
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return printed(plain + letter, values.next<double>());
    default:
      return std::string(conversion);
  }
}

}  // namespace

void print_formatted(machine& m, const instruction& i, const std::uint64_t* passed) {
  const std::string format = text_at(m, i, value_at<std::uint64_t>(passed[1]));
  arguments values(m, i, value_at<std::uint64_t>(passed[2]));
  std::string text;
  for (std::size_t at = 0; at < format.size();) {
    const std::size_t end =
        format[at] == '%' ? format.find_first_of("%diuxXocpseEfFgGaA", at + 1) : at;
    const std::size_t length = std::min(end, format.size() - 1) - at + 1;
    const std::string_view part = std::string_view(format).substr(at, length);
    if (part.front() == '%' && part.size() > 1)
      text += converted(m, i, part, values);
    else
      text += part;
    at += length;
  }
  if (m.launch().options->print) m.launch().options->print(text);
  const auto written = static_cast<std::int32_t>(text.size());
  std::memcpy(reinterpret_cast<void*>(passed[0]), &written, sizeof written);
}

void fail_assertion(machine& m, const instruction& i, const std::uint64_t* passed) {
  const auto text = [&](std::size_t index) {
    return text_at(m, i, value_at<std::uint64_t>(passed[index]));
  };
  fail_at(i, fmt::format("Assertion `{}' failed at {}:{} in {}", text(0), text(1),
                         value_at<std::uint32_t>(passed[2]), text(3)));
}

void allocate_memory(machine& m, const instruction&, const std::uint64_t* passed) {
  const launch_options& options = *m.launch().options;
  const auto bytes = value_at<std::uint64_t>(passed[1]);
  void* const made = options.allocate ? options.allocate(bytes) : nullptr;
  std::memcpy(reinterpret_cast<void*>(passed[0]), &made, sizeof made);
}

void release_memory(machine& m, const instruction&, const std::uint64_t* passed) {
  const launch_options& options = *m.launch().options;
  if (options.release) options.release(reinterpret_cast<void*>(value_at<std::uint64_t>(passed[0])));
}

}  // namespace ptx
