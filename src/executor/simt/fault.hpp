// SPDX-License-Identifier: Apache-2.0
// What is wrong with a launch, as data. Its words are made last, by text_of().
#pragma once

#include <simt/source_position.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace simt {

enum class fault_kind {
  deadlock,           ///< no thread can run
  livelock,           ///< threads run, but only poll memory that no thread changes
  too_long,           ///< the launch has reached its limit of time, but memory still changes
  not_resident,       ///< as livelock, while blocks of the grid wait for a slot
  divergent_barrier,  ///< not all threads of a block arrive at __syncthreads
  misused_barrier,    ///< a named barrier that does not exist, or conflicting numbers of threads
  wrong_warp_mask,    ///< a collective's mask names a lane that cannot take part
  raw_polling,        ///< a loop without any device operation
  stack_overflow,
  bad_address,  ///< not wholly in a device buffer or the block's shared storage
  misaligned,   ///< an address that is not a multiple of the access's alignment
  race,         ///< two unordered accesses
  unset_read,   ///< of memory that nothing has written
  unset_use,    ///< the same, by a read-modify-write or else of a value that is sure to matter
  instruction,  ///< one that an interpreter of kernels cannot perform: see fault::rule
};

/// As the text of a fault begins.
const char* to_string(fault_kind kind);

/// One or more threads, or what they do, and where in the code: a return address, or what
/// explain_sites_with() knows. Null: no place is named.
struct concerned_threads {
  std::string who;
  code_place site = {};
};

struct fault {
  fault_kind kind = fault_kind::deadlock;
  std::string rule{};                        ///< of an instruction's fault; else see rule_of()
  std::vector<concerned_threads> threads{};  ///< who meets it first; of a race the later access
  std::string address{};                     ///< named by its buffer; empty: none is concerned
  std::string reason{};                      ///< what they do, or what is wrong
  std::string missing{};                     ///< what would make it right; may be empty
  /// What tells apart faults of one rule and one kernel: a condition that does not hold.
  std::string subject{};
};

inline constexpr std::size_t longest_list = 3;  ///< of what a fault names one by one

/// Identifies what kind of fault it is, in whatever words it is reported: "data-race", "livelock".
std::string rule_of(const fault& what);

/// Both accesses and what is missing, or what else is wrong, in one line.
std::string sentence_of(const fault& what);

/// The same after the kind of fault.
std::string text_of(const fault& what);

/// The source positions "file.cu:12" of all its threads that have one, sorted.
std::vector<std::string> places_of(const fault& what);

/// A launch that cannot continue.
class execution_error : public std::runtime_error {
 public:
  explicit execution_error(fault what)
      : std::runtime_error(text_of(what)), what_(std::move(what)) {}
  const fault& reason() const { return what_; }
  fault_kind kind() const { return what_.kind; }

 private:
  fault what_;
};

}  // namespace simt
