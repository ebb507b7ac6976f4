// Small matrices of whole numbers, and how their elements look in registers and in memory.
#pragma once

#include <tests/executor/ptx/opcodes/opcode_case.hpp>

#include <string_view>

namespace ptx_opcodes {

inline constexpr unsigned lanes = 32;

struct element {
  std::string_view name;
  unsigned bits;
  int least, most;  ///< of what cases use: sums and products are exact
};

const element& element_named(std::string_view name);

/// Of a whole number.
std::uint64_t bits_of(const element& of, std::int64_t value);

inline unsigned register_bits(const element& of) {
  return of.bits == 64 ? 64 : 32;
}
/// The number of registers that each lane has of a matrix with this number of elements.
inline unsigned registers_of(const element& of, unsigned elements) {
  return elements * of.bits / lanes / register_bits(of);
}

/// Row by row.
struct matrix {
  unsigned rows = 0, columns = 0;
  std::vector<std::int64_t> at{};

  matrix(unsigned of_rows, unsigned of_columns)
      : rows(of_rows), columns(of_columns), at(std::size_t{rows} * columns) {}
  std::int64_t& operator()(unsigned row, unsigned column) { return at[row * columns + column]; }
  std::int64_t operator()(unsigned row, unsigned column) const {
    return at[row * columns + column];
  }
};

matrix numbers(unsigned rows, unsigned columns, const element& of, std::uint32_t seed);
matrix product(const matrix& a, const matrix& b, bool is_exclusive_or = false);

/// Elements side by side, low bits first, in numbers of 64 bits.
class packed {
 public:
  void add(std::uint64_t bits, unsigned count) {
    if (at_ % 64 == 0) numbers_.push_back(0);
    numbers_.back() |= bits << at_ % 64;
    at_ += count;
  }
  std::uint64_t operator[](std::size_t i) const { return i < numbers_.size() ? numbers_[i] : 0; }

 private:
  std::vector<std::uint64_t> numbers_{};
  unsigned at_ = 0;
};

/// {%r4, %r5}: registers of this name with successive numbers.
std::string registers_named(std::string_view name, unsigned count, unsigned first = 0);

/// A case of one warp, with tuples and expected results to be filled.
opcode_case of_warp(std::string name, std::string body, std::vector<width> results,
                    std::vector<width> operands);

}  // namespace ptx_opcodes
