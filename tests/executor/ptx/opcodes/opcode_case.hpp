// One instruction with operands: what a GPU and the interpreter both compute.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptx_opcodes {

enum class width : std::uint8_t { predicate = 1, bits16 = 16, bits32 = 32, bits64 = 64 };

/// Operands %a, %b, %c, %d, or results %w, %x, %y, %z. Unused ones are zero.
using values = std::array<std::uint64_t, 4>;

enum class real_format : std::uint8_t { none, f16, bf16, f32, f64, f16x2, bf16x2 };

/// What the PTX manual leaves open of a result. Without a format: nothing, all bits are compared.
struct tolerance {
  /// Of all results. A NaN may have any payload.
  real_format format = real_format::none;
  /// Of instructions that the manual calls approximate: how far a result may be from the exact one.
  double relative = 0;
  double absolute = 0;
};

struct opcode_case {
  std::string name;  ///< unique; begins with the instruction's opcode, and has no spaces
  std::string body;  ///< reads operands, writes results
  std::vector<width> operands{};
  std::vector<width> results{};
  std::vector<values> tuples{};    ///< one per thread
  std::vector<values> expected{};  ///< results that follow from the definition; of some cases
  tolerance open{};
  std::string around{};         ///< functions and variables of the module
  std::string directives{};     ///< of the kernel
  unsigned cluster_blocks = 1;  ///< the grid is one cluster

  std::string_view opcode() const { return std::string_view(name).substr(0, name.find('.')); }
};

/// In which registers and how often an instruction is applied is the same for all:
/// `.entry k(in, out, scratch)`, where a thread reads tuples at `in + thread * 32`, writes results
/// at `out + thread * 32`, and has 64 bytes at `scratch + thread * 64`. All begin as zeros.
///
/// A body may also use: predicates %p, %q; .b32 %r0 to %r7; .b64 %l0 to %l7; %thread; and these
/// addresses, each of 64 bytes of the thread's own: [%global], [%shared], [%local].
std::string kernel_text(const opcode_case& of);

/// Changes when the case does: recorded bits are those of the case as it stands.
std::uint32_t fingerprint(const opcode_case& of);

/// All cases, in the order in which they are recorded.
const std::vector<opcode_case>& all_cases();

// The families.
std::vector<opcode_case> integer_cases();
std::vector<opcode_case> bit_cases();
std::vector<opcode_case> real_cases();
std::vector<opcode_case> approximate_cases();
std::vector<opcode_case> comparison_cases();
std::vector<opcode_case> conversion_cases();
std::vector<opcode_case> memory_cases();
std::vector<opcode_case> atomic_cases();
std::vector<opcode_case> warp_cases();
std::vector<opcode_case> control_cases();
std::vector<opcode_case> matrix_cases();
std::vector<opcode_case> wmma_cases();

}  // namespace ptx_opcodes
