// What processes with a GPU each make together: the same barrier, memory and reports as one process
// with all GPUs.
#include "gpus_exchange.hpp"

#include <finesync/host/gpu_processes.hpp>
#include <simt/launch.hpp>
#include <simt/settings.hpp>

#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace finesync::test::processes_test {
namespace {

constexpr unsigned size = 2;

/// Fibers that take the part of processes, in one thread, which the executor serves. One runs until
/// it tells the others something.
class turns {
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
    std::array<fiber, size> running;
    for (unsigned rank = 0; rank < size; ++rank)
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
    detail::device_of_thread = device;
  }

  std::array<fiber, size> caller_of_;
  std::array<unsigned, size> rounds_ = {};
  std::array<std::vector<std::byte>, size> said_ = {};
};

class process final : public process_group {
 public:
  process(turns& all, unsigned rank) : all_(&all), rank_(rank) {}
  unsigned rank() const override { return rank_; }
  unsigned size() const override { return processes_test::size; }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    const std::vector<std::byte> said = all_->tell(rank_, mine);
    ASSERT_EQ(said.size(), all.size());
    std::copy(said.begin(), said.end(), all.begin());
  }

 private:
  turns* all_;
  unsigned rank_;
};

class pieces final : public pieces_of_processes {
 public:
  pieces(const process_group& group, std::size_t bytes) : own_(bytes) {
    std::byte* const own = own_.raw_pointer();
    all_ = gather(group, std::span<std::byte* const>(&own, 1));
  }
  std::byte* piece(unsigned rank) const override { return all_[rank]; }

 private:
  buffer<std::byte> own_;
  std::vector<std::byte*> all_;
};

class with_gpu final : public gpu_processes {
 public:
  with_gpu(turns& all, unsigned rank) : group_(all, rank) {}
  const process_group& group() const override { return group_; }
  std::unique_ptr<pieces_of_processes> allocate(std::size_t bytes) const override {
    return std::make_unique<pieces>(group_, bytes);
  }

 private:
  process group_;
};

/// What each process owns.
struct owners {
  owners(turns& everyone, unsigned rank, const gpus_exchange_plan& plan)
      : all(std::make_shared<with_gpu>(everyone, rank)),
        barrier(all, plan.shape(), plan.plan),
        words(all, exchange_parts * plan.threads()),
        timeout(all, 500'000) {}

  peers all;
  gpus_barrier barrier;
  symmetric_memory words;
  gpus_watchdog timeout;
};

template <class BarrierRef>
__global__ void exchange_unless_absent(BarrierRef barrier, gpus_exchange_ref with, bool one_is_away,
                                       watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (one_is_away && with.view.me == 1 && blockIdx.x == 2) return;
  for (unsigned round = 0; round < with.rounds; ++round) {
    with.write(round);
    if (!participant.wait()) return;
    cell<std::uint32_t>& wrong = with.word(with.view.me, 4, with.thread());
    wrong = wrong + with.count_wrong(round);
  }
}

struct verdict {
  std::array<std::string, size> reports;  ///< of each process; empty if there is none
  unsigned wrong = 0;
};

/// One launch of the grids of both processes.
verdict run(bool one_is_away) {
  const gpus_exchange_plan plan;
  turns everyone;
  std::array<std::unique_ptr<owners>, size> of;
  everyone.run([&](unsigned rank) { of[rank] = std::make_unique<owners>(everyone, rank, plan); });
  const std::array streams{of[0]->all.streams()[0], of[1]->all.streams()[0]};
  EXPECT_EQ(streams[1].device(), 1);
  launch_together(std::span<const stream>(streams), exchange_unless_absent<gpus_barrier::ref_type>,
                  plan.shape(), [&](unsigned me) {
                    const owners& own = *of[me];
                    return std::tuple(own.barrier.ref(me),
                                      gpus_exchange_ref{own.words.view(me), plan.rounds, 0, 0},
                                      one_is_away, own.timeout.ref(me));
                  });
  verdict found;
  everyone.run([&](unsigned rank) {
    const auto report = of[rank]->timeout.report();
    if (report) found.reports[rank] = to_string(*report);
    const auto words = of[rank]->words.piece(rank).to_host();
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(4 * plan.threads());
    found.wrong += std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(plan.threads()), 0u);
    of[rank].reset();
  });
  return found;
}

TEST(processes_with_a_gpu_each, hand_over_what_their_blocks_wrote) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    const verdict found = run(false);
    EXPECT_EQ(found.wrong, 0u) << "seed " << seed;
    EXPECT_EQ(found.reports[0] + found.reports[1], "") << "seed " << seed;
  }
}

TEST(processes_with_a_gpu_each, all_name_the_block_that_never_arrived) {
  const verdict found = run(true);
  const std::string& text = found.reports[0];
  EXPECT_EQ(text, found.reports[1]);
  EXPECT_LT(text.find("; GPU 1: "), text.find("; block 2 never arrived")) << text;
  EXPECT_NE(text.find("; block 2 never arrived"), std::string::npos) << text;
}

TEST(processes_with_a_gpu_each, tell_each_other_lists_of_any_length) {
  turns everyone;
  everyone.run([&](unsigned rank) {
    const process me(everyone, rank);
    const std::vector<int> mine = rank == 0 ? std::vector<int>{} : std::vector{7, 8, 9};
    const auto all = gather_lists(me, mine);
    EXPECT_EQ(all, (std::vector<std::vector<int>>{{}, {7, 8, 9}}));
  });
}

}  // namespace
}  // namespace finesync::test::processes_test
