// SPDX-License-Identifier: Apache-2.0
// What the instructions on matrices have in common: the whole warp comes to them, and which shapes
// and elements there are.
#pragma once

#include <ptx/decode/decoder.hpp>
#include <ptx/execute/thread_state.hpp>

#include <vector>

namespace ptx {

/// All 32 lanes come to the instruction, and `once` works on what they have brought, see
/// simt::warp_together_at. Ends the launch if the warp has fewer lanes. Orders no accesses.
void meet(const instruction& i, void* brought, simt::joint_work once);

inline const matrix_site& matrix_site_of(const thread_state& t, const instruction& i) {
  return t.running().matrices[static_cast<std::size_t>(i.number)];
}

/// Emits an instruction that has the site as its number.
void emit_with_site(decoder& d, matrix_site site, instruction one);

/// The registers of an operand become those of the site's next fragment.
void add_registers(decoder& d, const operand_syntax& list, const fragment& of, matrix_site& to,
                   bool is_destination);

/// d and c have m rows and n columns; a has k columns, and b has k rows.
struct shape {
  std::uint32_t m = 0, n = 0, k = 0;
  bool operator==(const shape&) const = default;
};

// Of decoders; \throws unsupported for what is not known.

inline void require(bool is_known) {
  if (!is_known) throw unsupported{};
}
/// From ".m16n8k16".
shape take_shape(decoder& d);
/// All, in their order.
std::vector<element> take_elements(decoder& d);
/// .row or .col
bool take_is_column_major(decoder& d);

/// Whether there is such a product; `of` has the elements of d, a, b, c.
bool multiplies_mma(const shape& size, const std::vector<element>& of);
bool multiplies_wmma(const shape& size, const std::vector<element>& of);
/// Whether a product of wmma has such a factor, or such sums.
bool is_factor_of_wmma(const shape& size, element of);
bool is_sum_of_wmma(const shape& size, element of);

/// a, whose lines are its rows, or b, whose lines are its columns; transposed: the other way round.
fragment factor_of_wmma(element of, std::uint32_t lines, std::uint32_t length, bool is_transposed);

/// wmma.load and wmma.store
void decode_wmma_access(decoder& d, bool is_load);

}  // namespace ptx
