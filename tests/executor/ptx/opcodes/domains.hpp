// Values that operands take, and tuples of them.
#pragma once

#include <tests/executor/ptx/opcodes/opcode_case.hpp>

#include <initializer_list>
#include <string_view>

namespace ptx_opcodes {

/// Values of an operand. The first ones meet all values first in each other operand.
struct domain {
  width of;
  std::vector<std::uint64_t> edges;
  bool is_any = true;  ///< any bits are values, too
};

/// The edges of a type of PTX: "u8", "s32", "b64", "f16", "bf16x2", "f64", "pred", ...
domain of_type(std::string_view type);

/// The size of a type with a number in its name: "u8", "bf16", "f64".
unsigned bytes_of(std::string_view type);

/// These values alone.
domain only(width of, std::vector<std::uint64_t> edges);

/// Distances of shifts; positions and lengths of fields.
domain distances();

/// The format of a type's bits; none for integers.
real_format format_of(std::string_view type);

/// One operand: all edges, then any bits. Several: the first edges of all crossed, then at random,
/// the same in each run.
std::vector<values> tuples_of(const std::vector<domain>& operands);

/// The case of `instruction` with operands in order: `name %w, %a, %b;`
opcode_case computation(std::string instruction, width result, const std::vector<domain>& operands,
                        tolerance open = {});

/// A case with a body of its own.
opcode_case with_body(std::string name, std::string body, std::vector<width> results,
                      const std::vector<domain>& operands, tolerance open = {});

}  // namespace ptx_opcodes
