// SPDX-License-Identifier: Apache-2.0
// The barriers of a block (PTX ISA, "barrier"): __syncthreads(), at which all threads wait, and
// numbered ones, at which some wait and others only arrive.
#pragma once

#include <simt/memory/running_launch.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace simt {

/// Number 0 is the barrier of __syncthreads(), too. As long as no thread comes to it by its number,
/// no list of its threads is kept. Every arrival is a release, every wait an acquire.
class block_barriers {
 public:
  explicit block_barriers(running_launch& launch)
      : launch_(launch), all_(launch.resident.blocks.size()) {}

  std::uint32_t synchronize(bool vote);
  void come_to(std::uint32_t number, std::uint32_t threads, bool waits);

  /// Another block takes the slot.
  void begin(const block_state& block) { of(block) = {}; }
  /// A thread must not end if others of its block wait for it.
  void check_leaving(const thread& self);

  void explain(const failure& what, fault& to) const;
  /// The barriers of the first blocks with waiting threads: how many have come, how many are due.
  void add_waiting(fault& to) const;

 private:
  static constexpr std::uint32_t numbers = 16;
  struct numbered_barrier {
    std::uint32_t expected = 0;  ///< threads, as named by the first to arrive
    std::uint32_t arrived = 0;
    std::vector<std::uint32_t> waiting;        ///< slots of the threads
    const void* passed_at = nullptr;           ///< where one came last that does not wait
    std::unique_ptr<release_clock> handed_on;  ///< by all arrivals; only with race checks
  };
  struct barriers_of_block {
    std::uint32_t at_synchronize = 0;
    std::uint32_t votes = 0;    ///< threads there that passed true
    std::uint32_t verdict = 0;  ///< their number when it opened last
    std::array<numbered_barrier, numbers> numbered;
  };

  barriers_of_block& of(const block_state& block) { return all_[launch_.resident.index_of(block)]; }
  const barriers_of_block& of(const block_state& block) const {
    return all_[launch_.resident.index_of(block)];
  }
  void open(barriers_of_block& barriers, const block_state& block);
  void call_by_number(barriers_of_block& barriers, const block_state& block);
  void arrive(std::uint32_t number, std::uint32_t threads, bool waits);
  void note_arrival(numbered_barrier& barrier, const thread& by, bool waits);
  void open(barriers_of_block& barriers, std::uint32_t number);
  std::uint32_t due_at(const numbered_barrier& barrier) const;

  running_launch& launch_;
  std::vector<barriers_of_block> all_;
  std::vector<std::uint32_t> meeting_;  ///< threads at a barrier, for the race detector
};

}  // namespace simt
