// SPDX-License-Identifier: Apache-2.0
// The table of opcodes.
#include <ptx/decode/decoder.hpp>

#include <unordered_map>

namespace ptx {

decode_opcode find_opcode(std::string_view opcode, bool is_real) {
  using table = std::unordered_map<std::string_view, decode_opcode>;
  static const table of_reals = [] {
    table all;
    for (const opcode_row& row : real_rows()) all.emplace(row.opcode, row.decode);
    return all;
  }();
  static const table others = [] {
    table all;
    for (const auto rows :
         {integer_rows(), bit_rows(), comparison_rows(), conversion_rows(), memory_rows(),
          atomic_rows(), control_rows(), collective_rows(), asynchronous_rows(), mbarrier_rows(),
          matrix_movement_rows(), matrix_product_rows()}) {
      for (const opcode_row& row : rows) all.emplace(row.opcode, row.decode);
    }
    return all;
  }();
  if (is_real)
    if (const auto found = of_reals.find(opcode); found != of_reals.end()) return found->second;
  const auto found = others.find(opcode);
  return found == others.end() ? nullptr : found->second;
}

}  // namespace ptx
