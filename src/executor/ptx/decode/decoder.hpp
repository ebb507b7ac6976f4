// SPDX-License-Identifier: Apache-2.0
// Decodes one statement: its modifiers are taken one by one, its operands become slots. What an
// opcode means is a row of a table.
#pragma once

#include <ptx/decode/program.hpp>

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace ptx {

/// Of offsets, which wrap around as addresses do.
constexpr std::int64_t offset_sum(std::int64_t offset, std::uint32_t more) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) + more);
}

/// Thrown for statements that this interpreter does not know. Reaching one ends the launch.
struct unsupported {};

/// The memory and the names of a kernel that is being decoded.
class linker {
 public:
  linker(program& code, kernel& to) : code_(code), kernel_(to) {}

  /// Of a kernel or a function with a body, in the program; decodes it when it is new.
  const function* function_of(const function_syntax& which);
  const function_syntax* function_named(std::string_view name) const;

  operand constant(std::uint64_t value);
  /// The address of a variable of the module, and its space; nothing if there is none.
  std::optional<operand> variable_address(std::string_view name, std::int64_t addend,
                                          address_space& space);
  /// Reserves shared memory. \returns its offset.
  std::uint32_t place_shared(std::string_view name, const memory_syntax& what);

  /// Decodes all functions whose addresses are taken; lays out dynamic shared memory.
  void finish();

  program& code() { return code_; }

 private:
  program& code_;
  kernel& kernel_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_constants_;
  std::unordered_map<std::string_view, std::uint32_t> shared_;
  std::vector<std::uint32_t> dynamic_shared_;  ///< slots of constants
};

class decoder {
 public:
  decoder(linker& all, function& into) : all_(all), into_(into), syntax_(*into.syntax) {}

  /// The whole function. \throws error.
  void run();

  // For the rows of the table: the modifiers of the statement.
  bool has(std::string_view modifier) const;
  bool take(std::string_view modifier);
  std::optional<type> take_type();
  type require_type();
  std::string_view take_one_of(std::initializer_list<std::string_view> names);
  void take_all_beginning_with(std::string_view prefix);
  /// The first that fits, as they stand; empty if none does.
  std::string_view take_first(bool (*fits)(std::string_view));

  // Its operands.
  std::size_t operands() const { return now_->operands.size(); }
  const operand_syntax& syntax(std::size_t i) const;
  bool is_address(std::size_t i) const;
  operand source(const operand_syntax& from, const type& of);
  operand source(std::size_t i, const type& of) { return source(syntax(i), of); }
  /// \param bytes 16: of both halves; otherwise of one
  operand destination(const operand_syntax& to, std::size_t bytes = 8);
  operand destination(std::size_t i, std::size_t bytes = 8) {
    return destination(syntax(i), bytes);
  }
  /// p|q: the second may be missing.
  void destinations(std::size_t i, instruction& of);
  operand temporary();

  /// [a + offset]: sets from[0] and number. \returns the space that the name says, or generic.
  address_space address(std::size_t i, instruction& of);

  /// Appends an instruction.
  void emit(instruction one);
  /// Ends the block: a branch to a label.
  void emit_branch(handler what, std::string_view label, operand condition = {});
  std::vector<std::string_view> branch_targets(const operand_syntax& list) const;
  void emit_branch_table(handler what, operand index, const std::vector<std::string_view>& labels);

  linker& all() { return all_; }
  function& into() { return into_; }
  struct local_variable {
    std::uint32_t offset;  ///< in the function's local memory
    std::size_t bytes;
  };
  std::optional<local_variable> local_named(std::string_view name) const;

  [[noreturn]] void refuse(std::string_view why) const;
  /// Refuses another number. \param what in the singular, as "operand".
  void expect_count(std::string_view what, std::size_t found, std::size_t expected) const;

 private:
  struct memory_place {
    enum class how : std::uint8_t { pointer, local, shared } kind;
    std::uint32_t at;  ///< slot, offset or constant
    address_space space;
    std::size_t bytes;
  };
  void decode_statement();
  void place_variables();
  void resolve_branches();
  const register_range* find_register(std::string_view name, std::uint32_t& slot) const;
  /// The register of that name, if there is one. Refuses a narrow one where 16 bytes are wanted.
  std::optional<operand> register_named(std::string_view name, std::size_t bytes) const;
  const memory_place* find_memory(std::string_view name) const;
  std::uint32_t label_of(std::string_view name, std::uint32_t scope) const;
  /// The address of a name: a slot, and the space where it lies.
  std::optional<operand> address_of(std::string_view name, std::int64_t addend,
                                    address_space& space);

  linker& all_;
  function& into_;
  const function_syntax& syntax_;
  const statement* now_ = nullptr;
  std::uint32_t index_ = 0;
  std::vector<std::string_view> left_;  ///< modifiers not taken yet
  std::vector<std::unordered_map<std::string_view, memory_place>> memory_;  ///< by scope
  std::vector<std::uint32_t> begins_;  ///< first instruction of each statement
  struct branch {
    std::size_t at;
    std::uint32_t to;  ///< statement
  };
  std::vector<branch> branches_;
  struct table {
    std::size_t at;
    std::vector<std::uint32_t> to;
  };
  std::vector<table> tables_;
};

/// A row of the table of opcodes.
using decode_opcode = void (*)(decoder&);
struct opcode_row {
  std::string_view opcode;
  decode_opcode decode;
};

/// The row of the opcode; null if there is none. Real numbers have rows of their own.
decode_opcode find_opcode(std::string_view opcode, bool is_real);

// The rows of the families.
std::span<const opcode_row> integer_rows();
std::span<const opcode_row> bit_rows();
std::span<const opcode_row> real_rows();
std::span<const opcode_row> comparison_rows();
std::span<const opcode_row> conversion_rows();
std::span<const opcode_row> memory_rows();
std::span<const opcode_row> atomic_rows();
std::span<const opcode_row> control_rows();
std::span<const opcode_row> collective_rows();
std::span<const opcode_row> matrix_movement_rows();
std::span<const opcode_row> matrix_product_rows();
std::span<const opcode_row> asynchronous_rows();
std::span<const opcode_row> mbarrier_rows();

/// Gives registers of a decoded function that are never alive together the same slot.
void share_slots(function& f);

// Handlers that the decoder needs itself.
const instruction* refuse_instruction(thread_state& t, const instruction& i);
const instruction* jump_if(thread_state& t, const instruction& i);
const instruction* jump_unless(thread_state& t, const instruction& i);
const instruction* jump_always(thread_state& t, const instruction& i);
const instruction* jump_by_table(thread_state& t, const instruction& i);
const instruction* return_from_function(thread_state& t, const instruction& i);
const instruction* read_special(thread_state& t, const instruction& i);
const instruction* take_local_address(thread_state& t, const instruction& i);
const instruction* negate_predicate(thread_state& t, const instruction& i);
const instruction* add_offset(thread_state& t, const instruction& i);

/// The number of a special register; nothing if there is none of that name.
std::optional<std::int64_t> special_register(std::string_view name);

}  // namespace ptx
