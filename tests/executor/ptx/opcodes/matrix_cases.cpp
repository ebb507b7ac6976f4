// Products of matrices, and matrices between memory and registers. Values are small integers, whose
// products and sums every format has. What is expected follows from the definition of a product,
// and from the places of elements in the PTX manual.
#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/matrices.hpp>

#include <algorithm>

namespace ptx_opcodes {

namespace {

using enum width;

// --- mma.sync

struct multiplication {
  std::string_view name;  ///< after "mma.sync.aligned."
  unsigned m, k;
  std::string_view d, a, b;
};

/// Calls use(row, column) for the elements that a lane has of a, in the manual's order.
template <class Use>
void for_elements_of_a(unsigned lane, unsigned rows, unsigned k, const element& of,
                       const Use& use) {
  const unsigned side_by_side = of.bits == 64 ? 1 : 32 / of.bits;
  const unsigned group = lane >> 2, in_group = lane % 4;
  for (unsigned first = 0; first < k; first += 4 * side_by_side) {
    for (unsigned row = group; row < rows; row += 8) {
      for (unsigned i = 0; i < side_by_side; ++i) use(row, first + in_group * side_by_side + i);
    }
  }
}

/// The registers are filled from four numbers of 64 bits. %a and %b hold a, %c holds b, and %d
/// holds c. If c does not fit, its rows 8 to 15 equal rows 0 to 7. Of f64, each byte is an element.
std::string body_of(const multiplication& of) {
  const bool is_wide = of.d == "f64", has_all_of_c = of.m == 8 || of.d == "f16";
  const std::string instruction = fmt::format("mma.sync.aligned.{}", of.name);
  if (is_wide) {
    std::string text = ".reg .b64 %u<16>, %byte; ";
    const auto unpack = [&](char from, unsigned count, unsigned to) {
      for (unsigned i = 0; i < count; ++i) {
        text += fmt::format("bfe.s64 %byte, %{}, {}, 8; cvt.rn.f64.s64 %u{}, %byte; ", from, 8 * i,
                            to + i);
      }
    };
    const unsigned of_a = of.m * of.k / lanes, of_b = 8 * of.k / lanes, of_c = of.m * 8 / lanes;
    unpack('a', of_a, 0);
    unpack('b', of_b, 8);
    unpack('c', of_c, 12);
    return text + fmt::format("{} {}, {}, {}, {};", instruction,
                              of.m == 8 ? "{%w, %x}" : "{%w, %x, %y, %z}",
                              registers_named("u", of_a), registers_named("u", of_b, 8),
                              registers_named("u", of_c, 12));
  }
  return fmt::format(
      "mov.b64 {{%r0, %r1}}, %a; mov.b64 {{%r2, %r3}}, %b; mov.b64 {{%r4, %r5}}, %c; "
      "mov.b64 {{%r6, %r7}}, %d; {} {}, {}, {}, {};",
      instruction, has_all_of_c ? "{%w, %x}" : "{%w, %x, %y, %z}",
      registers_named("r", registers_of(element_named(of.a), of.m * of.k)),
      registers_named("r", registers_of(element_named(of.b), 8 * of.k), 4),
      has_all_of_c ? "{%r6, %r7}" : "{%r6, %r7, %r6, %r7}");
}

opcode_case case_of(const multiplication& of) {
  const element &of_a = element_named(of.a), &of_b = element_named(of.b),
                &of_d = element_named(of.d);
  const bool is_wide = of.d == "f64", has_all_of_c = of.m == 8 || of.d == "f16" || is_wide;
  const matrix a = numbers(of.m, of.k, of_a, 1), b = numbers(of.k, 8, of_b, 10000);
  matrix c = numbers(of.m, 8, of_d, 20000);
  for (unsigned row = 0; row < of.m; ++row) {
    for (unsigned column = 0; column < 8; ++column) {
      if (!has_all_of_c && row >= 8) c(row, column) = c(row - 8, column);
      // Sums beyond the integers.
      if (of.d == "s32" && column == 5) c(row, column) = row % 2 == 0 ? 0x7fffffff : -0x7fffffff;
    }
  }
  const matrix of_products = product(a, b, of.name.find(".xor") != std::string_view::npos);
  const auto sum = [&](unsigned row, unsigned column) {
    const std::int64_t all = of_products(row, column) + c(row, column);
    if (of.name.find(".satfinite") == std::string_view::npos) return all;
    return std::clamp<std::int64_t>(all, -0x80000000LL, 0x7fffffff);
  };

  const unsigned results = of.m == 8 || of.d == "f16" ? 2 : 4;
  opcode_case made = of_warp(fmt::format("mma.sync.aligned.{}", of.name), body_of(of),
                             std::vector<width>(results, is_wide ? bits64 : bits32),
                             {bits64, bits64, bits64, bits64});
  const auto add = [&](packed& to, const element& type, std::int64_t value) {
    to.add(is_wide ? static_cast<std::uint8_t>(value) : bits_of(type, value),
           is_wide ? 8 : type.bits);
  };
  for (unsigned lane = 0; lane < lanes; ++lane) {
    packed in_a, in_b, in_c, in_d;
    for_elements_of_a(lane, of.m, of.k, of_a,
                      [&](unsigned row, unsigned column) { add(in_a, of_a, a(row, column)); });
    for_elements_of_a(lane, 8, of.k, of_b,
                      [&](unsigned column, unsigned row) { add(in_b, of_b, b(row, column)); });
    for (unsigned row = lane >> 2; row < of.m; row += 8) {
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned column = 2 * (lane % 4) + i;
        if (has_all_of_c || row < 8) add(in_c, of_d, c(row, column));
        in_d.add(bits_of(of_d, sum(row, column)), of_d.bits);
      }
    }
    made.tuples[lane] =
        is_wide ? values{in_a[0], in_b[0], in_c[0]} : values{in_a[0], in_a[1], in_b[0], in_c[0]};
    for (unsigned i = 0; i < results; ++i) {
      made.expected[lane][i] = is_wide ? in_d[i] : in_d[i / 2] >> (32 * (i % 2)) & 0xffffffff;
    }
  }
  return made;
}

void add_multiplications(std::vector<opcode_case>& all) {
  const auto add = [&](unsigned m, unsigned k, std::string_view d, std::string_view a,
                       std::string_view b, std::string_view modifiers = "") {
    const std::string name =
        fmt::format("m{}n8k{}.row.col.{}.{}.{}.{}{}", m, k, d, a, b, d, modifiers);
    all.push_back(case_of({name, m, k, d, a, b}));
  };
  for (const unsigned k : {8u, 16u}) {
    add(16, k, "f16", "f16", "f16");
    add(16, k, "f32", "f16", "f16");
    add(16, k, "f32", "bf16", "bf16");
  }
  for (const unsigned k : {4u, 8u}) add(16, k, "f32", "tf32", "tf32");
  for (const char* modifiers : {"", ".satfinite"}) {
    for (const auto& [a, b] : {std::pair("s8", "s8"), std::pair("s8", "u8"), std::pair("u8", "s8"),
                               std::pair("u8", "u8")}) {
      add(8, 16, "s32", a, b, modifiers);
      add(16, 16, "s32", a, b, modifiers);
      add(16, 32, "s32", a, b, modifiers);
    }
    for (const auto& [a, b] : {std::pair("s4", "u4"), std::pair("u4", "s4")}) {
      add(8, 32, "s32", a, b, modifiers);
      add(16, 32, "s32", a, b, modifiers);
      add(16, 64, "s32", a, b, modifiers);
    }
  }
  for (const char* modifiers : {".and.popc", ".xor.popc"}) {
    add(8, 128, "s32", "b1", "b1", modifiers);
    add(16, 128, "s32", "b1", "b1", modifiers);
    add(16, 256, "s32", "b1", "b1", modifiers);
  }
  add(8, 4, "f64", "f64", "f64");
  for (const unsigned k : {4u, 8u, 16u}) add(16, k, "f64", "f64", "f64");
}

// --- ldmatrix, stmatrix, movmatrix

/// The element of a matrix that a lane has in the lower or upper half of a register.
std::pair<unsigned, unsigned> row_and_column(unsigned lane, unsigned half, bool is_transposed) {
  const unsigned line = lane / 4, at = 2 * (lane % 4) + half;
  return is_transposed ? std::pair(at, line) : std::pair(line, at);
}

std::uint64_t element_in(const matrix& rows, unsigned row, unsigned column) {
  return static_cast<std::uint64_t>(rows(row, column));
}

constexpr unsigned other_lane = 5;  // a lane addresses the memory of the lane with this xor
const std::string address_of_other =
    "xor.b32 %r1, %thread, 5; mul.lo.u32 %r1, %r1, 64; mov.u32 %r2, shared_bytes; "
    "add.u32 %r1, %r1, %r2; ";

void add_movements(std::vector<opcode_case>& all) {
  constexpr element bits16_of_element{"b16", 16, 0, 0xffff};
  const matrix rows = numbers(lanes, 8, bits16_of_element, 77);
  const auto row_bits = [&](unsigned row) {
    packed bits;
    for (unsigned column = 0; column < 8; ++column) bits.add(element_in(rows, row, column), 16);
    return bits;
  };
  const auto register_bits = [&](unsigned lane, unsigned which, bool is_transposed) {
    std::uint64_t bits = 0;
    for (unsigned half = 0; half < 2; ++half) {
      const auto [row, column] = row_and_column(lane, half, is_transposed);
      bits |= element_in(rows, 8 * which + row, column) << (16 * half);
    }
    return bits;
  };
  const char* const some[] = {"", "{%w}", "{%w, %x}", "", "{%w, %x, %y, %z}"};
  const char* const given[] = {"", "{%a}", "{%a, %b}", "", "{%a, %b, %c, %d}"};
  const auto add = [&](unsigned count, bool is_transposed, bool is_generic) {
    const std::string form =
        fmt::format("sync.aligned.m8n8.x{}{}{}.b16", count, is_transposed ? ".trans" : "",
                    is_generic ? "" : ".shared");
    const std::string address =
        is_generic ? "cvt.u64.u32 %l1, %r1; cvta.shared.u64 %l1, %l1; " : "";
    const char* const at = is_generic ? "[%l1]" : "[%r1]";
    opcode_case load = of_warp(
        "ldmatrix." + form,
        fmt::format("st.shared.v2.b64 [%shared], {{%a, %b}}; bar.warp.sync -1; {}{}ldmatrix.{} {}, "
                    "{};",
                    address_of_other, address, form, some[count], at),
        std::vector<width>(count, bits32), {bits64, bits64});
    opcode_case store = of_warp(
        "stmatrix." + form,
        fmt::format("mov.b64 %l2, 0; st.shared.v2.b64 [%shared], {{%l2, %l2}}; bar.warp.sync -1; "
                    "{}{}stmatrix.{} {}, {}; bar.warp.sync -1; ld.shared.v2.b64 {{%w, %x}}, "
                    "[%shared];",
                    address_of_other, address, form, at, given[count]),
        {bits64, bits64}, std::vector<width>(count, bits32));
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const packed of_other = row_bits(lane ^ other_lane);
      load.tuples[lane] = {of_other[0], of_other[1]};
      if ((lane ^ other_lane) < 8 * count) store.expected[lane] = {of_other[0], of_other[1]};
      for (unsigned which = 0; which < count; ++which)
        load.expected[lane][which] = store.tuples[lane][which] =
            register_bits(lane, which, is_transposed);
    }
    all.push_back(load);
    all.push_back(store);
  };
  for (const unsigned count : {1u, 2u, 4u})
    for (const bool is_transposed : {false, true}) add(count, is_transposed, false);
  add(4, false, true);
  opcode_case move = of_warp("movmatrix.sync.aligned.m8n8.trans.b16",
                             "movmatrix.sync.aligned.m8n8.trans.b16 %w, %a;", {bits32}, {bits32});
  for (unsigned lane = 0; lane < lanes; ++lane) {
    move.tuples[lane] = {register_bits(lane, 0, false)};
    move.expected[lane] = {register_bits(lane, 0, true)};
  }
  all.push_back(move);
}

}  // namespace

std::vector<opcode_case> matrix_cases() {
  std::vector<opcode_case> all;
  add_multiplications(all);
  add_movements(all);
  return all;
}

}  // namespace ptx_opcodes
