// Two processes with a GPU each, played by fibers of a test.
#pragma once

#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu_processes.hpp>
#include <finesync/host/stream.cuh>

#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace finesync::test {

inline constexpr unsigned processes = 2;

/// Fibers that take the part of processes, in one thread, which the executor serves. One runs until
/// it tells the others something.
class process_turns {
 public:
  std::vector<std::byte> tell(unsigned rank, std::span<const std::byte> mine) {
    said_[rank].assign(mine.begin(), mine.end());
    const unsigned round = ++rounds_[rank];
    let_others_run(rank);
    EXPECT_EQ(rounds_, (std::array{round, round})) << "the processes do not do the same";
    std::vector<std::byte> all;
    for (const auto& each : said_) all.insert(all.end(), each.begin(), each.end());
    let_others_run(rank);  // they have to take it before any speaks again
    return all;
  }

  /// Runs one for each rank, with the device of that number. \param act called with the rank.
  template <class Act>
  void run(const Act& act) {
    std::array<fiber, processes> running;
    for (unsigned rank = 0; rank < processes; ++rank)
      running[rank] = fiber(std::allocator_arg, boost::context::fixedsize_stack(1 << 20),
                            [&, rank](fiber&& caller) {
                              caller_of_[rank] = std::move(caller);
                              const device_guard here(static_cast<int>(rank));
                              act(rank);
                              return std::move(caller_of_[rank]);
                            });
    while (running[0] || running[1])
      for (fiber& each : running)
        if (each) each = std::move(each).resume();
  }

 private:
  using fiber = boost::context::fiber;

  void let_others_run(unsigned rank) {
    const int device = current_device();
    caller_of_[rank] = std::move(caller_of_[rank]).resume();
    finesync::detail::device_of_thread = device;
  }

  std::array<fiber, processes> caller_of_;
  std::array<unsigned, processes> rounds_ = {};
  std::array<std::vector<std::byte>, processes> said_ = {};
};

class process_in_turn final : public process_group {
 public:
  process_in_turn(process_turns& all, unsigned rank) : all_(&all), rank_(rank) {}
  unsigned rank() const override { return rank_; }
  unsigned size() const override { return processes; }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    const std::vector<std::byte> said = all_->tell(rank_, mine);
    ASSERT_EQ(said.size(), all.size());
    std::copy(said.begin(), said.end(), all.begin());
  }

 private:
  process_turns* all_;
  unsigned rank_;
};

class pieces_in_turn final : public pieces_of_processes {
 public:
  pieces_in_turn(const process_group& group, std::size_t bytes) : own_(bytes) {
    std::byte* const own = own_.raw_pointer();
    all_ = gather(group, std::span<std::byte* const>(&own, 1));
  }
  std::byte* piece(unsigned rank) const override { return all_[rank]; }

 private:
  buffer<std::byte> own_;
  std::vector<std::byte*> all_;
};

class process_with_gpu final : public gpu_processes {
 public:
  process_with_gpu(process_turns& all, unsigned rank) : group_(all, rank) {}
  const process_group& group() const override { return group_; }
  std::unique_ptr<pieces_of_processes> allocate(std::size_t bytes) const override {
    return std::make_unique<pieces_in_turn>(group_, bytes);
  }

 private:
  process_in_turn group_;
};

}  // namespace finesync::test
