// SPDX-License-Identifier: Apache-2.0
// What the runtime finds in a program, as lines of a file that finesync-check reads.
#pragma once

#include <simt/fault.hpp>

#include <string>
#include <vector>

namespace cudart {

enum class finding_kind {
  race,        ///< two unordered accesses
  failure,     ///< a launch that cannot end: a deadlock, an address beyond its buffer, ...
  refusal,     ///< what is not supported ended the program
  launch,      ///< a launch was begun: the program did use a kernel
  coverage,    ///< of a kernel that was launched: `text` has a letter for each site, in `places`: a
               ///< or b for an access or a barrier, large if it ran; `subject` is the mangled name
  fidelity,    ///< of the instruction `text`: `rule` is "skipped" or "approximate", `subject` what
               ///< it reaches: "address", "branch", "address or a branch"
  hint,        ///< what may explain a wrong result, and need not be a fault
  begin,       ///< a process uses the runtime; `subject` is its number
  end,         ///< it ends by itself, and has reported everything
  sample,      ///< races were looked for in some blocks of a launch
  last_words,  ///< what a process was doing when its time was up
};

struct finding {
  finding_kind kind = finding_kind::race;
  std::string kernel{};               ///< its name in the source; empty if none is concerned
  std::string text{};                 ///< one line, for people alone
  std::vector<std::string> places{};  ///< "file.cu:12", sorted: of a race both accesses, if known
  std::string rule{};                 ///< of a race or failure: see simt::rule_of()
  std::string subject{};              ///< see simt::fault
  std::string during{};               ///< "test a.py::test_b", or "process ./a b": who has found it
};

finding finding_of(finding_kind kind, const std::string& kernel, const simt::fault& what);

/// Of a call in the program: "WHO (FILE:LINE) REASON".
finding failure_of(const std::string& rule, const std::string& kernel,
                   const simt::concerned_threads& who, const std::string& reason);

/// One line of JSON.
std::string to_line(const finding& what);

struct run_report {
  std::vector<finding> findings;
  /// Why there may have been more; empty if the report is whole: all its lines are, and every
  /// process that began to use the runtime has ended by itself.
  std::string lacks;
};

/// The findings of such lines, of all processes of a run.
run_report from_lines(const std::string& text);

/// What equal findings of other launches and schedules share: their lines, or else the kernel and
/// the kind of fault. The numbers of threads and addresses differ.
std::string key_of(const finding& what);

/// The place of a call that this OS thread may be in, and who called it: the header of CUDA has
/// wrappers of some calls.
simt::code_place with_callers(const void* from);

/// Writes it to the report of the settings, or in words to standard error. Once per key. Ends the
/// program if it cannot be written.
void report(const finding& what);

/// Reports that this process uses the runtime, and at its end that it has ended. To be called once.
void begin_report();

/// Whether the process was forked from one that had used the runtime.
bool is_forked_after_use();

/// Reports why the program cannot go on, and ends it.
[[noreturn]] void refuse(const std::string& why);

/// The exit status of a program that was refused something.
inline constexpr int refusal_status = 2;

}  // namespace cudart

/// As _exit(), with the end of the report.
extern "C" [[noreturn]] void finesync_end_process(int status);
