// SPDX-License-Identifier: Apache-2.0
// Collectives of a warp: which lanes wait for which, and what is wrong when the others cannot
// arrive.
#pragma once

#include <simt/memory/running_launch.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace simt {

class collectives {
 public:
  explicit collectives(running_launch& launch);

  word join(collective kind, std::uint32_t mask, const word& value, std::uint32_t argument);
  /// Which lanes a GPU finds together is chance. Here they are all that arrive within a few rounds
  /// of the first or, on a random schedule, within a drawn time.
  std::uint32_t converge(const void* site);

  /// Another block takes the slot.
  void begin(const block_state& block);
  /// A thread must not end if others of its warp wait for it.
  void check_leaving(const thread& self) const;
  /// After a lane has ended, the waiting lanes may be the only ones left.
  void leave(const thread& self);

  /// Two lanes that each wait for the other in collectives of different lanes are a wrong mask.
  failure explain_deadlock() const;
  void explain(const failure& what, fault& to) const;
  /// The collectives of the first warps with waiting lanes: who waits for whom.
  void add_waiting(fault& to) const;

 private:
  struct lanes_of_warp {
    std::uint32_t waiting = 0;  ///< lanes inside a collective
    /// The collective of the last lane to arrive, and the lanes that wait in it.
    struct collective_state {
      collective kind = collective::none;
      std::uint32_t mask = 0;
      std::uint32_t lanes = 0;
      bool operator==(const collective_state&) const = default;
    } latest;
    std::array<collective, warp_size> kind{};
    std::array<std::uint32_t, warp_size> mask{};
    std::array<const void*, warp_size> site{};      ///< converge: code address
    std::array<std::uint32_t, warp_size> source{};  ///< shuffle: the lane to read
    std::array<word, warp_size> value{};            ///< the argument, then the result

    std::uint32_t at(collective which, std::uint32_t mask) const;
    std::uint32_t at_convergence(const void* which) const;
  };
  lanes_of_warp& of(const thread& t) { return all_[t.number / warp_size]; }
  const lanes_of_warp& of(const thread& t) const { return all_[t.number / warp_size]; }
  thread& lane_beside(const thread& t, std::uint32_t lane) const {
    return launch_.resident.threads[t.number - t.lane + lane];
  }
  void check_mask(const thread& self, collective kind, std::uint32_t mask,
                  std::uint32_t arrived) const;
  void work_together(lanes_of_warp& warp, std::uint32_t mask);
  void finish(lanes_of_warp& warp, std::uint32_t mask);
  void finish_convergence(const thread& of_warp, const void* site);

  running_launch& launch_;
  std::vector<lanes_of_warp> all_;
  std::vector<std::uint32_t> meeting_;  ///< threads at __syncwarp(), for the race detector
};

}  // namespace simt
