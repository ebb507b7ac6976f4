// SPDX-License-Identifier: Apache-2.0
// What the runtime finds in a program, as lines of a file that finesync-check reads.
#pragma once

#include <simt/fault.hpp>

#include <string>
#include <vector>

namespace cudart {

enum class finding_kind {
  race,     ///< two unordered accesses
  failure,  ///< a launch that cannot end: a deadlock, an address beyond its buffer, ...
  refusal,  ///< what is not supported ended the program
  launch,   ///< a launch was begun: the program did use a kernel
  hint,     ///< what may explain a wrong result, and need not be a fault
};

struct finding {
  finding_kind kind = finding_kind::race;
  std::string kernel{};               ///< its name in the source; empty if none is concerned
  std::string text{};                 ///< one line, for people alone
  std::vector<std::string> places{};  ///< "file.cu:12", sorted: of a race both accesses, if known
  std::string rule{};                 ///< of a race or failure: see simt::rule_of()
  std::string subject{};              ///< see simt::fault
};

finding finding_of(finding_kind kind, const std::string& kernel, const simt::fault& what);

/// One line of JSON.
std::string to_line(const finding& what);

/// The findings of such lines. A line that was cut off, because the program was killed, is left
/// out.
std::vector<finding> from_lines(const std::string& text);

/// What equal findings of other launches and schedules share: their lines, or else the kernel and
/// the kind of fault. The numbers of threads and addresses differ.
std::string key_of(const finding& what);

/// Writes it to the report of the settings, or in words to standard error. Once per key.
void report(const finding& what);

/// Reports why the program cannot go on, and ends it.
[[noreturn]] void refuse(const std::string& why);

/// The exit status of a program that was refused something.
inline constexpr int refusal_status = 2;

}  // namespace cudart
