// SPDX-License-Identifier: Apache-2.0
// One axis of a benchmark: what varies, over which values, and how users write them.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// Declared by a workload; offered on its command line as `--<name> VALUE,VALUE,...`. Its values
/// are integers. Values from 0 on may have names; users, benchmark names and results then use the
/// name, never the number.
struct axis {
  std::string name = {};               ///< lower case with dashes: "collision-factor"
  std::string help = {};               ///< one line
  std::vector<long long> values = {};  ///< default values of a sweep
  long long min = 0;                   ///< smallest valid value
  long long max = std::numeric_limits<long long>::max();  ///< largest valid value
  std::string unit = {};                                  ///< "threads per lock"; empty for none
  std::vector<long long> candidates = {};                 ///< what --tune tries; empty: not tunable
  std::vector<std::string> names = {};                    ///< of the values 0, 1, ...: "no", "yes"
  /// Values may also be written as numbers with up to this many decimals, whatever their names:
  /// with 2, users may write 0.9 for the value 90.
  int decimals = 0;
};

axis named_axis(std::string name, std::string help, std::vector<std::string> names,
                long long default_value = 0);

/// The spelling of a value of an axis with these names: its name, or else its digits.
std::string spelled(const std::vector<std::string>& names, long long value);

/// The name in results and benchmark names: "collision_factor".
std::string identifier(std::string_view axis_name);

/// Reads one integer; a suffix K or M multiplies by 1024 or 1024*1024.
/// \throws usage_error naming `what` when the text is not a number or does not fit.
long long parse_integer(std::string_view text, const std::string& what);

/// Reads the comma-separated list that a user gave for `which`.
/// \throws usage_error for an empty list, an item that is neither a name nor a number, the number
/// of a named value, a value out of range, or a duplicate.
std::vector<long long> parse_values(const axis& which, std::string_view text);

/// What --tune tries on `which`, in this order: its first value, then the candidates.
std::vector<long long> tuning_values(const axis& which);

/// The valid values, for users: "no or yes", "auto, or 1 to 32", "1 or more".
std::string range_of(const axis& which);

/// Checks a declaration: names are usable, defaults exist, and defaults and candidates are within
/// range and distinct.
/// \throws std::invalid_argument, as the mistake is the workload's and not the user's.
void check_declaration(const axis& which);

}  // namespace finesync::bench
