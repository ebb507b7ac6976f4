// Servers and clients of processes with a GPU each: what a process sends to the other's servers is
// served there, once.
#include "busy_servers.hpp"

#include <finesync/several_gpus/symmetric_memory.cuh>

#include <gtest/gtest.h>
#include <tests/library/server/delivery.hpp>
#include <tests/processes_of_gpus.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace finesync::test::server_processes_test {
namespace {

using servers_of_gpus_test::busy;
using servers_of_gpus_test::combined;
using servers_of_gpus_test::one_word;
using servers_of_gpus_test::weak;

using service = registry<1, true>;
using pool_of_process = gpus_server_pool<one_word, combined>;

/// The clients of one GPU send nothing, if they are idle.
struct senders_unless_idle {
  senders<1> all;
  unsigned idle;  ///< its number

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    return thread / (threads / processes) == idle || all(out, thread, threads);
  }
};

/// Takes its own memory for that of the other process, too.
class process_alone final : public gpu_processes {
 public:
  process_alone(process_turns& all, unsigned rank) : right_(all, rank) {}
  const process_group& group() const override { return right_.group(); }
  std::unique_ptr<pieces_of_processes> allocate(std::size_t bytes) const override {
    return std::make_unique<own_piece>(right_.allocate(bytes), group().rank());
  }

 private:
  class own_piece final : public pieces_of_processes {
   public:
    own_piece(std::unique_ptr<pieces_of_processes> right, unsigned rank)
        : right_(std::move(right)), rank_(rank) {}
    std::byte* piece(unsigned) const override { return right_->piece(rank_); }

   private:
    std::unique_ptr<pieces_of_processes> right_;
    unsigned rank_;
  };

  process_with_gpu right_;
};

/// What each process owns.
template <class Process>
struct owners {
  owners(process_turns& everyone, unsigned rank, const server_scenario& e)
      : all(std::make_shared<Process>(everyone, rank)),
        pool(all, e.config),
        timeout(all, 500'000) {}

  peers all;
  pool_of_process pool;
  gpus_watchdog timeout;
};

constexpr unsigned none = processes;

/// One launch of the grids of both processes. \returns the error, or nothing.
template <class Process>
std::string run_in_processes(const server_scenario& e, unsigned idle = none) {
  process_turns everyone;
  std::array<std::unique_ptr<owners<Process>>, processes> of;
  everyone.run(
      [&](unsigned rank) { of[rank] = std::make_unique<owners<Process>>(everyone, rank, e); });
  const peers both(processes);
  const gpus_archives files(both, e);
  const std::array streams{of[0]->all.streams()[0], of[1]->all.streams()[0]};
  std::string hang;
  try {
    launch_together(std::span<const stream>(streams),
                    server_grid<one_word, combined, modulo_partition, service, senders_unless_idle,
                                no_observer>,
                    of[0]->pool.template shape<service>(e.threads_per_block), [&](unsigned me) {
                      const owners<Process>& own = *of[me];
                      return own.pool.arguments(me, service(e.messages, files.of(me), e.numbers()),
                                                senders_unless_idle{{e.messages}, idle},
                                                own.timeout.ref(me));
                    });
  } catch (const hang_error& problem) {
    hang = problem.what();
  }
  std::array<std::string, processes> late;
  everyone.run([&](unsigned rank) {
    if (const auto report = of[rank]->timeout.report()) late[rank] = to_string(*report);
    of[rank].reset();
  });
  EXPECT_EQ(late[0], late[1]) << "the processes differ";
  if (!hang.empty() || !late[0].empty()) return hang + late[0];
  return files.complaint<true>(e);
}

TEST(servers_of_processes, serve_every_request_once) {
  const auto complaint = [] { return run_in_processes<process_with_gpu>(busy); };
  EXPECT_EQ(first_complaint(weak, 4, complaint), "");
}

TEST(servers_of_processes, that_share_no_memory_are_rejected) {
  EXPECT_NE(run_in_processes<process_alone>(busy), "");
}

TEST(servers_of_processes, of_which_one_sends_nothing_are_rejected) {
  for (unsigned idle = 0; idle < processes; ++idle)
    EXPECT_NE(run_in_processes<process_with_gpu>(busy, idle), "") << "GPU " << idle;
}

}  // namespace
}  // namespace finesync::test::server_processes_test
