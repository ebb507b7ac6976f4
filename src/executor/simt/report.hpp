// SPDX-License-Identifier: Apache-2.0
// The report of a run that cannot continue: the fault, the number of threads in each place, and the
// address.
#pragma once

#include <stdexcept>
#include <string>

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
};

const char* to_string(fault_kind kind);

/// A race that a launch goes on after, or a read of shared memory that nothing has written.
struct found_race {
  enum class kind { race, unset_read, unset_change };  ///< the last: by a read-modify-write
  kind what = kind::race;
  std::string text;     ///< both accesses and what is missing, in one line
  std::string earlier;  ///< source position of the access before; empty if unknown
  std::string later;    ///< and of the one that raced with it
};

class execution_error : public std::runtime_error {
 public:
  execution_error(fault_kind kind, const std::string& what)
      : std::runtime_error(what), kind_(kind) {}
  fault_kind kind() const { return kind_; }

 private:
  fault_kind kind_;
};

}  // namespace simt
