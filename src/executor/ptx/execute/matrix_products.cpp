// SPDX-License-Identifier: Apache-2.0
// Products of matrices in the registers of a warp: d = a * b + c. Each product of two elements is
// exact. They are added to c in the order of k, as real numbers of 64 bits; f64: each by fma. The
// sum is rounded once, to nearest. A GPU cuts bits off its sums, and adds in another order.
#include <ptx/execute/accesses.hpp>
#include <ptx/execute/computing.hpp>
#include <ptx/execute/matrices.hpp>

#include <limits>

namespace ptx {

namespace {

constexpr u32 most_registers = 8;  // of a fragment
constexpr u32 bits_of_tf32 = 0xffffe000;
constexpr u32 nan_of_f32 = 0x7fffffff;

// --- elements

double value_of(element of, u64 bits) {
  const auto as_half = [&]<class T>(T value) {
    value.bits = static_cast<u16>(bits);
    return static_cast<double>(static_cast<float>(value));
  };
  const auto low = static_cast<u32>(bits);
  switch (of) {
    case element::b1:
    case element::u4:
    case element::u8:
      return low;
    case element::s4:
      return static_cast<s32>(low << 28) >> 28;
    case element::s8:
      return static_cast<s8>(low);
    case element::s32:
      return static_cast<s32>(low);
    case element::f16:
      return as_half(half());
    case element::bf16:
      return as_half(bfloat());
    case element::tf32:
      return std::bit_cast<float>(low & bits_of_tf32);
    case element::f32:
      return std::bit_cast<float>(low);
    case element::f64:
      break;
  }
  return std::bit_cast<double>(bits);
}

/// Integers keep their low bits, or are clamped.
u64 bits_of_sum(element of, double sum, bool is_saturated) {
  if (of == element::f64) return std::bit_cast<u64>(sum);
  if (of == element::f16) return half(sum).bits;
  if (of == element::f32)
    return std::isnan(sum) ? nan_of_f32 : std::bit_cast<u32>(static_cast<float>(sum));
  using limits = std::numeric_limits<s32>;
  if (is_saturated) sum = std::clamp<double>(sum, limits::min(), limits::max());
  return static_cast<u32>(static_cast<s64>(sum));
}

u64 low_bits(u32 count) {
  return count == 64 ? ~u64{0} : (u64{1} << count) - 1;
}

/// In registers of one lane.
u64 element_bits(const fragment& of, const u64* registers, u32 index) {
  const u32 bits = bits_of(of.of);
  return registers[index / of.per_register()] >> (index % of.per_register() * bits) &
         low_bits(bits);
}

// --- products

/// What a lane brings; the product takes the place of c.
struct product_part {
  const matrix_site* site = nullptr;
  std::array<u64, most_registers> a{}, b{}, c{};
};
using lane_registers = std::array<u64, most_registers> product_part::*;
using lanes = std::span<void* const, simt::warp_size>;

/// The matrix, line by line; of a transposed fragment: position by position.
std::vector<double> gathered(const fragment& of, lanes all, lane_registers from) {
  std::vector<double> matrix(std::size_t{of.lines} * of.length);
  for (u32 lane = 0; lane < simt::warp_size; ++lane) {
    const u64* const registers = (static_cast<const product_part*>(all[lane])->*from).data();
    for (u32 index = 0; index < of.elements(); ++index) {
      const auto [line, position] = of.place_of(lane, index);
      matrix[of.is_transposed ? position * of.lines + line : line * of.length + position] =
          value_of(of.of, element_bits(of, registers, index));
    }
  }
  return matrix;
}

void multiply(lanes all) {
  const matrix_site& site = *static_cast<const product_part*>(all[0])->site;
  const std::vector<double> a = gathered(site.a, all, &product_part::a);
  const std::vector<double> b = gathered(site.b, all, &product_part::b);
  const std::vector<double> c = gathered(site.c, all, &product_part::c);
  const std::size_t depth = a.size() / site.d.lines, columns = site.d.length;
  std::vector<double> sums(c);
  for (std::size_t at = 0; at < sums.size(); ++at) {
    const double* const row = &a[at / columns * depth];
    const double* const column = &b[at % columns * depth];
    for (std::size_t k = 0; k < depth; ++k) {
      sums[at] = site.is_exclusive_or ? sums[at] + (row[k] != column[k])
                                      : std::fma(row[k], column[k], sums[at]);
    }
  }
  for (u32 lane = 0; lane < simt::warp_size; ++lane) {
    auto& registers = static_cast<product_part*>(all[lane])->c;
    registers = {};
    for (u32 index = 0; index < site.d.elements(); ++index) {
      const auto [line, position] = site.d.place_of(lane, index);
      registers[index / site.d.per_register()] |=
          bits_of_sum(site.d.of, sums[line * columns + position], site.is_saturated)
          << (index % site.d.per_register() * bits_of(site.d.of));
    }
  }
}

const instruction* multiply_in_warp(thread_state& t, const instruction& i) {
  const matrix_site& site = matrix_site_of(t, i);
  product_part mine{.site = &site};
  const operand* from = site.registers.data() + site.d.registers;
  const auto take = [&](const fragment& of, std::array<u64, most_registers>& to) {
    for (u32 at = 0; at < of.registers; ++at) to[at] = t.read(*from++);
  };
  take(site.a, mine.a);
  take(site.b, mine.b);
  take(site.c, mine.c);
  meet(i, &mine, multiply);
  for (u32 at = 0; at < site.d.registers; ++at) t.write(site.registers[at], mine.c[at]);
  return &i + 1;
}

// --- decoding

/// \param site without its registers.
void emit_product(decoder& d, matrix_site site) {
  require(d.operands() == 4);  // sparse products have more
  add_registers(d, d.syntax(0), site.d, site, true);
  add_registers(d, d.syntax(1), site.a, site, false);
  add_registers(d, d.syntax(2), site.b, site, false);
  add_registers(d, d.syntax(3), site.c, site, false);
  emit_with_site(d, std::move(site), {.execute = multiply_in_warp});
}

void decode_mma(decoder& d) {
  require(d.take(".sync") && d.take(".aligned"));
  const shape size = take_shape(d);
  const bool a_by_columns = take_is_column_major(d), b_by_columns = take_is_column_major(d);
  const std::vector<element> of = take_elements(d);
  require(!a_by_columns && b_by_columns && of.size() == 4 && multiplies_mma(size, of));
  matrix_site site;
  site.is_saturated = d.take(".satfinite");
  if (of[1] == element::b1) {
    site.is_exclusive_or = d.take(".xor");
    require((site.is_exclusive_or || d.take(".and")) && d.take(".popc"));
  }
  const auto factor = [&](element one, u32 lines) {
    return fragment_of_mma(one, lines, size.k, fragment{.of = one}.per_register());
  };
  constexpr u32 run_of_sums = 2;
  site.d = fragment_of_mma(of[0], size.m, size.n, run_of_sums);
  site.a = factor(of[1], size.m);
  site.b = factor(of[2], size.n);
  site.c = fragment_of_mma(of[3], size.m, size.n, run_of_sums);
  emit_product(d, std::move(site));
}

void decode_wmma_product(decoder& d) {
  const bool a_by_columns = take_is_column_major(d), b_by_columns = take_is_column_major(d);
  const shape size = take_shape(d);
  std::vector<element> of = take_elements(d);
  if (of.size() == 2) of = {of[0], element::f16, element::f16, of[1]};
  require(of.size() == 4 && multiplies_wmma(size, of));
  matrix_site site;
  site.is_saturated = d.take(".satfinite");
  site.d = fragment_of_wmma(of[0], size.m, size.n, false);
  site.a = factor_of_wmma(of[1], size.m, size.k, a_by_columns);
  site.b = factor_of_wmma(of[2], size.n, size.k, !b_by_columns);
  site.c = fragment_of_wmma(of[3], size.m, size.n, false);
  emit_product(d, std::move(site));
}

void decode_wmma(decoder& d) {
  const auto what = d.take_one_of({".load", ".store", ".mma"});
  require(d.take(".sync") && d.take(".aligned") && !what.empty());
  if (what == ".mma") return decode_wmma_product(d);
  decode_wmma_access(d, what == ".load");
}

}  // namespace

std::span<const opcode_row> matrix_product_rows() {
  static constexpr opcode_row rows[] = {
      {"mma", decode_mma},
      {"wmma", decode_wmma},
  };
  return rows;
}

}  // namespace ptx
