// One integer axis of a benchmark: what may vary, over which values, and how a user writes them.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// Declared by a workload; offered on its command line as `--<name> N,N,...`.
struct axis {
  std::string name = {};               ///< lower case with dashes: "collision-factor"
  std::string help = {};               ///< one line
  std::vector<long long> values = {};  ///< what is swept when the user says nothing
  long long min = 0;                   ///< smallest value that makes sense
  long long max = std::numeric_limits<long long>::max();  ///< largest value that makes sense
  std::string unit = {};                                  ///< "threads per lock"; empty for none
  std::vector<long long> candidates = {};  ///< what --tune tries; empty: it is not tunable
};

/// The name as it stands in results and benchmark names: "collision_factor".
std::string identifier(std::string_view axis_name);

/// Reads one integer; a suffix K or M multiplies by 1024 or 1024*1024.
/// \throws usage_error naming `what` when the text is no number or does not fit.
long long parse_integer(std::string_view text, const std::string& what);

/// Reads the comma-separated list that a user gave for `which`.
/// \throws usage_error for an empty list, a non-number, a value out of range or a duplicate.
std::vector<long long> parse_values(const axis& which, std::string_view text);

/// What --tune tries on `which`, in this order: its first value, then the candidates.
std::vector<long long> tuning_values(const axis& which);

/// Checks a declaration: a usable name, defaults present, they and the candidates within range and
/// distinct.
/// \throws std::invalid_argument, for it is the workload's mistake and not the user's.
void check_declaration(const axis& which);

}  // namespace finesync::bench
