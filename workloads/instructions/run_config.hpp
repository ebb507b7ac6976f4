// Configuration of the instructions workload at one point of a sweep.
#pragma once

#include <workloads/instructions/fences/setting.hpp>

namespace finesync::instructions {

enum class measure : unsigned {
  latency,     ///< of one instruction in a chain, in which each needs the result before it
  throughput,  ///< of instructions that need no other
};

/// Where the words of an instruction are.
enum class space : unsigned { global, shared, other_block };

enum class order : unsigned { plain, relaxed, acquire, release, acq_rel };

enum class reach : unsigned { block, cluster, device, system };

/// Instructions in a row, without a loop, between two looks at the clock.
inline constexpr unsigned in_a_row = 16;

/// Limit of rounds per run: their cycles stay in shared memory until the end, because fences would
/// also wait for writes of them to device memory.
inline constexpr unsigned max_rounds = 1024;

/// Every thread executes in_a_row instructions per round, and as many before the first round, which
/// fetch the code. An experiment verifies what the words hold in the end and what every instruction
/// returned. It measures
/// - latency: cycles from before the first instruction of a round to the end of a store and a load
///   of shared memory that follow the last, less those of the same code without the instructions,
///   by in_a_row: quartiles over all blocks and rounds. Of one without a result it is the time
///   until the thread goes on.
/// - throughput: operations by the cycles from the first block's start on an SM to the last one's
///   end, a mean over SMs.
struct run_config {
  measure what = measure::latency;
  space where = space::global;
  reach scope = reach::device;
  order ordered = order::relaxed;
  unsigned bits = 32;  ///< or 64
  bool result_unused = false;
  unsigned stride = 128;  ///< bytes between the words of two threads; 0: one word for all
  unsigned blocks_per_sm = 1;
  unsigned sms = 0;  ///< to count blocks for; 0: all
  unsigned threads_per_block = 32;
  unsigned rounds = 16;
  fences::setting fence = {};  ///< of a fence, which has a kernel of its own
};

}  // namespace finesync::instructions
