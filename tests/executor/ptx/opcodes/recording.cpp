#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/recording.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <unordered_map>

namespace ptx_opcodes {

namespace {

std::size_t digits_in(width of) {
  return (static_cast<std::size_t>(of) + 3) / 4;
}

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (problem != std::errc{} || end != digits.data() + digits.size())
    throw std::runtime_error(fmt::format("'{}' is no hexadecimal number", digits));
  return value;
}

double half_value(std::uint64_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<double>(bits & 0x3ff);
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double value_of(std::uint64_t bits, real_format format) {
  switch (format) {
    case real_format::f16:
      return half_value(bits);
    case real_format::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    case real_format::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      return std::bit_cast<double>(bits);
  }
}

/// The bits of a fraction, and the exponent of the least number.
std::pair<int, int> precision_of(real_format format) {
  switch (format) {
    case real_format::f16:
      return {10, -24};
    case real_format::bf16:
      return {7, -133};
    case real_format::f32:
      return {23, -149};
    default:
      return {52, -1074};
  }
}

bool fits(std::uint64_t computed, std::uint64_t recorded, const tolerance& open) {
  if (computed == recorded) return true;
  if (open.format == real_format::none) return false;
  const double mine = value_of(computed, open.format), other = value_of(recorded, open.format);
  if (std::isnan(mine) || std::isnan(other)) return std::isnan(mine) && std::isnan(other);
  if (open.relative == 0 && open.absolute == 0) return false;
  if (std::isinf(mine) || std::isinf(other)) return false;
  // The interpreter rounds, too: a unit of the last place more.
  const auto [fraction, least] = precision_of(open.format);
  const double unit = std::max(std::ldexp(std::fabs(other), -fraction), std::ldexp(1, least));
  return std::fabs(mine - other) <= open.relative * std::fabs(other) + open.absolute + unit;
}

bool fits_in_parts(std::uint64_t computed, std::uint64_t recorded, tolerance open) {
  using enum real_format;
  if (open.format != f16x2 && open.format != bf16x2) return fits(computed, recorded, open);
  open.format = open.format == f16x2 ? f16 : bf16;
  return fits(computed & 0xffff, recorded & 0xffff, open) &&
         fits(computed >> 16, recorded >> 16, open);
}

}  // namespace

std::string digits_of(const opcode_case& of, const rows& results) {
  std::string digits;
  for (const values& row : results) {
    for (std::size_t i = 0; i < of.results.size(); ++i)
      digits += fmt::format("{:0{}x}", row[i], digits_in(of.results[i]));
  }
  return digits;
}

rows rows_of(const opcode_case& of, std::string_view digits) {
  rows all;
  std::size_t at = 0;
  for (std::size_t thread = 0; thread < of.tuples.size(); ++thread) {
    values& row = all.emplace_back();
    for (std::size_t i = 0; i < of.results.size(); ++i) {
      const std::size_t length = digits_in(of.results[i]);
      if (at + length > digits.size())
        throw std::runtime_error(fmt::format("{} has too few digits", of.name));
      row[i] = number_of(digits.substr(at, length));
      at += length;
    }
  }
  if (at != digits.size()) throw std::runtime_error(fmt::format("{} has too many digits", of.name));
  return all;
}

void write(std::ostream& to, const recording& what, const std::vector<opcode_case>& order) {
  for (const auto& [key, value] : what.provenance) to << key << ": " << value << '\n';
  std::unordered_map<std::string_view, std::string_view> known;
  for (const opcode_case& one : order) {
    const auto found = what.entries.find(one.name);
    if (found == what.entries.end()) continue;
    const auto& [fingerprint, digits] = found->second;
    const auto [first, is_new] = known.try_emplace(digits, one.name);
    to << fmt::format("{} {:08x} {}\n", one.name, fingerprint,
                      is_new ? digits : fmt::format("={}", first->second));
  }
}

recording read(std::istream& from) {
  recording all;
  for (std::string line; std::getline(from, line);) {
    if (const std::size_t colon = line.find(": "); colon != std::string::npos) {
      all.provenance.emplace(line.substr(0, colon), line.substr(colon + 2));
      continue;
    }
    const std::size_t name_end = line.find(' '), key_end = line.find(' ', name_end + 1);
    if (name_end == std::string::npos || key_end == std::string::npos)
      throw std::runtime_error(fmt::format("not a case: '{}'", line.substr(0, 80)));
    const std::string name = line.substr(0, name_end);
    std::string digits = line.substr(key_end + 1);
    if (digits.starts_with('=')) {
      const auto same = all.entries.find(std::string_view(digits).substr(1));
      if (same == all.entries.end())
        throw std::runtime_error(fmt::format("{} repeats an unknown case", name));
      digits = same->second.digits;
    }
    const std::string key = line.substr(name_end + 1, key_end - name_end - 1);
    if (!all.entries.try_emplace(name, static_cast<std::uint32_t>(number_of(key)), digits).second)
      throw std::runtime_error(fmt::format("{} is recorded twice", name));
  }
  return all;
}

std::string difference(const opcode_case& of, const rows& computed, const rows& recorded) {
  std::string text;
  std::size_t wrong = 0;
  for (std::size_t thread = 0; thread < of.tuples.size(); ++thread) {
    for (std::size_t i = 0; i < of.results.size(); ++i) {
      const std::uint64_t mine = computed.at(thread)[i], other = recorded.at(thread)[i];
      if (fits_in_parts(mine, other, of.open)) continue;
      if (++wrong > 8) continue;
      text +=
          fmt::format("  thread {}, result {}: {:x}, recorded {:x}; of", thread, i, mine, other);
      for (std::size_t at = 0; at < of.operands.size(); ++at)
        text += fmt::format(" {:x}", of.tuples[thread][at]);
      text += '\n';
    }
  }
  if (wrong == 0) return {};
  return fmt::format("{}: {} of {} results\n{}", of.name, wrong,
                     of.tuples.size() * of.results.size(), text);
}

}  // namespace ptx_opcodes
