// SPDX-License-Identifier: Apache-2.0
// A kernel in decoded form, and the thread that executes it.
#pragma once

#include <ptx/decode/fragment.hpp>
#include <ptx/launch.hpp>
#include <ptx/text/syntax.hpp>
#include <simt/operation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ptx {

class thread_state;
struct instruction;
struct function;

constexpr std::size_t aligned(std::size_t at, std::size_t alignment) {
  return (at + alignment - 1) / alignment * alignment;
}

/// Executes an instruction. \returns the next one; null at the end of the function.
using handler = const instruction* (*)(thread_state&, const instruction&);

/// A slot of 64 bits: a register of the running function, or a constant of the program.
struct operand {
  std::uint32_t bits = 0;

  static operand of_register(std::uint32_t slot) { return {slot << 1}; }
  static operand of_constant(std::uint32_t slot) { return {slot << 1 | 1}; }
  /// The second half of 128 bits.
  operand upper() const { return {bits + 2}; }

  bool is_register() const { return (bits & 1) == 0; }
  std::uint32_t slot() const { return bits >> 1; }
};

struct instruction {
  handler execute = nullptr;
  std::int64_t number = 0;  ///< offset of an address, index of a list of the program, ...
  operand to{};
  operand also_to{};
  std::array<operand, 5> from{};
  std::int32_t jump = 0;        ///< from this instruction to a branch's target
  std::uint32_t statement = 0;  ///< of the function's syntax
  simt::op_kind kind = simt::op_kind::plain_load;
  simt::memory_order order = simt::memory_order::relaxed;
  simt::scope reach = simt::scope::device;
  std::uint8_t bytes = 0;  ///< of one element
  std::uint8_t elements = 1;
  bool is_signed = false;
  bool is_volatile = false;
  bool is_read_only = false;     ///< a load of memory that no thread of the launch writes
  mutable bool has_run = false;  ///< in any launch
  bool has_matrix_site = false;  ///< `number` is its index
  std::uint8_t sources = 5;      ///< number of `from` that are read; the rest are written
};

struct call_site {
  const function* callee = nullptr;  ///< null: a register names it, unless it is built in
  bool is_builtin = false;
  std::vector<std::uint32_t> passed{};  ///< results, then parameters: offsets in local memory
};

/// An instruction on matrices. Its registers are those of the fragments in their order; what the
/// instruction lacks has none.
struct matrix_site {
  fragment d{}, a{}, b{}, c{};
  bool is_exclusive_or = false;  ///< of bits, in place of the product
  bool is_saturated = false;     ///< .satfinite
  std::vector<operand> registers{};
  std::size_t destinations = 0;  ///< number of registers that are written: the first ones
};

struct function {
  const function_syntax* syntax = nullptr;
  std::vector<instruction> code{};
  std::uint32_t slots = 0;
  std::size_t local_bytes = 0;
  std::uint32_t first_pointer = 0;  ///< slot of the address of the first result, then parameters
  std::vector<call_site> calls{};
  std::vector<matrix_site> matrices{};
  std::vector<std::vector<std::int32_t>> branch_tables{};
};

/// Everything that a kernel reaches.
class program {
 public:
  explicit program(const module_syntax& syntax) : module(syntax) {}

  const module_syntax& module;
  std::deque<function> functions;  ///< the kernel first
  std::unordered_map<const function_syntax*, const function*> by_syntax;
  std::vector<std::uint64_t> constants;
  /// Constants that are addresses of variables.
  struct address_constant {
    std::uint32_t slot = 0;
    std::uint32_t variable = 0;
    std::int64_t addend = 0;
  };
  std::vector<address_constant> addresses;
  const std::vector<void*>* placed = nullptr;  ///< of the module's variables
  std::size_t shared_alignment = 1;            ///< of dynamic shared memory
  bool prints = false;
  bool overlaps_launches = false;  ///< it has a griddepcontrol
  bool fences_system = false;      ///< it has a fence of system scope
};

/// The decoded form of a kernel with what it calls, and its sizes in `to`. \throws error.
std::shared_ptr<program> decode(const module_syntax& module, const function_syntax& entry,
                                kernel& to);

/// Registers the instructions for reports as long as the program lives.
void make_known(const std::shared_ptr<program>& which);

/// "file:line" of the instruction in the kernel's source; empty if it is unknown or not ours.
std::string source_of(const void* instruction);

/// "ld.global.u32"
std::string opcode_of(const instruction& which);

}  // namespace ptx
