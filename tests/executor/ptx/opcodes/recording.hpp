// What a machine has computed for the cases, as a text file.
#pragma once

#include <tests/executor/ptx/opcodes/opcode_case.hpp>

#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptx_opcodes {

/// The results of a case: one row per thread.
using rows = std::vector<values>;

struct recording {
  std::map<std::string, std::string, std::less<>> provenance;  ///< "gpu", "driver", "date", ...
  struct entry {
    std::uint32_t fingerprint = 0;
    std::string digits;  ///< all rows, see digits_of()
  };
  std::map<std::string, entry, std::less<>> entries;  ///< by the case's name
};

/// Each result of each row in hexadecimal digits, as many as its width has.
std::string digits_of(const opcode_case& of, const rows& results);

/// \throws std::runtime_error if these are not digits of as many results as the case has.
rows rows_of(const opcode_case& of, std::string_view digits);

/// A line `key: value` for each provenance, then `name fingerprint digits` for each case; instead
/// of digits that a case before it has, `=` and its name.
void write(std::ostream& to, const recording& what, const std::vector<opcode_case>& order);

/// \throws std::runtime_error for anything that write() does not write.
recording read(std::istream& from);

/// Says where `computed` is not what `recorded` allows; empty if nowhere.
std::string difference(const opcode_case& of, const rows& computed, const rows& recorded);

}  // namespace ptx_opcodes
