// wmma: loads, products and stores of matrices in global memory. The tuples are the memory of a and
// b, and the results that of d = a * b + c, where c is a * b, stored and loaded by other lines if
// it is square.
#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/matrices.hpp>

#include <cstring>

namespace ptx_opcodes {

namespace {

using enum width;

struct wmma_form {
  unsigned m, n, k;
  std::string_view d, a;
  bool a_by_columns, b_by_columns, d_by_columns;
};

/// Elements as they are in memory.
std::vector<std::uint8_t> memory_of(const matrix& what, const element& of, bool by_columns) {
  std::vector<std::uint8_t> bytes;
  for (unsigned i = 0; i < what.at.size(); ++i) {
    const unsigned length = by_columns ? what.rows : what.columns;
    const unsigned line = i / length, position = i % length;
    const std::uint64_t bits =
        bits_of(of, by_columns ? what(position, line) : what(line, position));
    for (unsigned byte = 0; byte < of.bits / 8; ++byte)
      bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * byte)));
  }
  return bytes;
}

void put_in(std::vector<values>& tuples, const std::vector<std::uint8_t>& bytes, std::size_t at) {
  std::memcpy(reinterpret_cast<std::byte*>(tuples.data()) + at, bytes.data(), bytes.size());
}

opcode_case case_of(const wmma_form& of) {
  const element &of_a = element_named(of.a), &of_d = element_named(of.d);
  const auto layout = [](bool by_columns) { return by_columns ? "col" : "row"; };
  const std::string shape = fmt::format("m{}n{}k{}", of.m, of.n, of.k);
  const unsigned factors_a = of.a == "f16" ? 8 : registers_of(of_a, of.m * of.k);
  const unsigned factors_b = of.a == "f16" ? 8 : registers_of(of_a, of.n * of.k);
  const unsigned sums = registers_of(of_d, of.m * of.n);
  const unsigned bytes_of_a = of.m * of.k * of_a.bits / 8, bytes_of_b = of.n * of.k * of_a.bits / 8;
  const unsigned b_at = bytes_of_a + bytes_of_b <= lanes * sizeof(values) ? bytes_of_a : 0;
  const bool is_square = of.m == of.n;
  const std::string types =
      of.a == "f16" ? fmt::format("{0}.{0}", of.d) : fmt::format("{0}.{1}.{1}.{0}", of.d, of.a);
  const std::string multiply =
      fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{} {}, {}, {}, {}; ", layout(of.a_by_columns),
                  layout(of.b_by_columns), shape, types, registers_named("fd", sums),
                  registers_named("fa", factors_a), registers_named("fb", factors_b),
                  registers_named("fd", sums));
  std::string body = fmt::format(
      ".reg .b{0} %fa<8>, %fb<8>, %fd<8>; .reg .b64 %memory, %result, %room; "
      "ld.param.u64 %memory, [in]; ld.param.u64 %result, [out]; ld.param.u64 %room, [scratch]; "
      "wmma.load.a.sync.aligned.{1}.{2}.global.{3} {4}, [%memory], {5}; "
      "wmma.load.b.sync.aligned.{6}.{2}.global.{3} {7}, [%memory+{8}], {9}; ",
      register_bits(of_d), layout(of.a_by_columns), shape, of.a, registers_named("fa", factors_a),
      of.a_by_columns ? of.m : of.k, layout(of.b_by_columns), registers_named("fb", factors_b),
      b_at, of.b_by_columns ? of.k : of.n);
  for (unsigned i = 0; i < sums; ++i)
    body += fmt::format("mov.b{} %fd{}, 0; ", register_bits(of_d), i);
  body += multiply;
  body += fmt::format(
      "wmma.store.d.sync.aligned.row.{0}.global.{1} [%room], {2}, {3}; bar.warp.sync -1; "
      "wmma.load.c.sync.aligned.{4}.{0}.global.{1} {2}, [%room]; ",
      shape, of.d, registers_named("fd", sums), of.n, layout(is_square));
  body += multiply;
  body += fmt::format(
      "wmma.store.d.sync.aligned.{}.{}.global.{} [%result], {}, {}; bar.warp.sync -1; "
      "ld.global.v2.b64 {{%w, %x}}, [%out]; ld.global.v2.b64 {{%y, %z}}, [%out+16];",
      layout(of.d_by_columns), shape, of.d, registers_named("fd", sums),
      of.d_by_columns ? of.m : of.n);

  opcode_case made =
      of_warp(fmt::format("wmma.{}.{}.{}.{}.{}.{}", shape, of.d, of.a, layout(of.a_by_columns),
                          layout(of.b_by_columns), layout(of.d_by_columns)),
              std::move(body), {bits64, bits64, bits64, bits64}, {});
  matrix a = numbers(of.m, of.k, of_a, 1), b = numbers(of.k, of.n, of_a, 10000);
  if (b_at == 0) {  // the smaller one is a part of the larger one
    for (std::int64_t& one : a.at) one = 3;
    for (std::int64_t& one : b.at) one = 3;
  }
  put_in(made.tuples, memory_of(a, of_a, of.a_by_columns), 0);
  put_in(made.tuples, memory_of(b, of_a, of.b_by_columns), b_at);
  const matrix once = product(a, b, false);
  matrix d = once;
  for (unsigned row = 0; row < of.m; ++row)
    for (unsigned column = 0; column < of.n; ++column)
      d(row, column) += is_square ? once(column, row) : once(row, column);
  put_in(made.expected, memory_of(d, of_d, of.d_by_columns), 0);
  return made;
}

}  // namespace

std::vector<opcode_case> wmma_cases() {
  std::vector<opcode_case> all;
  for (const bool by_columns : {false, true}) {
    all.push_back(case_of(wmma_form{16, 16, 16, "f32", "f16", by_columns, false, by_columns}));
    all.push_back(case_of(wmma_form{16, 16, 16, "f16", "f16", by_columns, true, by_columns}));
    all.push_back(case_of(wmma_form{16, 16, 16, "f32", "bf16", false, by_columns, false}));
    all.push_back(case_of(wmma_form{16, 16, 16, "s32", "s8", by_columns, by_columns, true}));
    all.push_back(case_of(wmma_form{16, 16, 8, "f32", "tf32", by_columns, true, false}));
    all.push_back(case_of(wmma_form{8, 8, 4, "f64", "f64", by_columns, false, false}));
    for (const auto& [m, n] : {std::pair(32u, 8u), std::pair(8u, 32u)}) {
      all.push_back(case_of(wmma_form{m, n, 16, "f32", "f16", by_columns, by_columns, false}));
      all.push_back(case_of(wmma_form{m, n, 16, "s32", "u8", by_columns, true, by_columns}));
      all.push_back(case_of(wmma_form{m, n, 16, "f32", "bf16", false, by_columns, true}));
    }
  }
  return all;
}

}  // namespace ptx_opcodes
