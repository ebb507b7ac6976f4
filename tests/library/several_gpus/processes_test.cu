// What processes with a GPU each make together: the same barrier, memory and reports as one process
// with all GPUs; and servers: what a process sends to the other's servers is served there, once.
#include "busy_servers.hpp"
#include "gpus_exchange.hpp"

#include <tests/processes_of_gpus.hpp>

namespace finesync::test::processes_test {
namespace {

using servers_of_gpus_test::busy;
using servers_of_gpus_test::combined;
using servers_of_gpus_test::one_word;

/// What each process owns.
struct owners {
  owners(process_turns& everyone, unsigned rank, const gpus_exchange_config& plan)
      : all(std::make_shared<process_with_gpu>(everyone, rank)),
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
  std::array<std::string, processes> reports;  ///< of each process; empty if there is none
  unsigned wrong = 0;
};

/// One launch of the grids of both processes.
verdict run(bool one_is_away) {
  const gpus_exchange_config plan;
  process_turns everyone;
  std::array<std::unique_ptr<owners>, processes> of;
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
    const simt::scoped_settings scoped(simt::random_schedule(seed, weak));
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
  process_turns everyone;
  everyone.run([&](unsigned rank) {
    const process_in_turn me(everyone, rank);
    const std::vector<int> mine = rank == 0 ? std::vector<int>{} : std::vector{7, 8, 9};
    const auto all = gather_lists(me, mine);
    EXPECT_EQ(all, (std::vector<std::vector<int>>{{}, {7, 8, 9}}));
  });
}

using service = message_service<1, true>;
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
struct server_owners {
  server_owners(process_turns& everyone, unsigned rank, const server_scenario& e)
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
  std::array<std::unique_ptr<server_owners<Process>>, processes> of;
  everyone.run([&](unsigned rank) {
    of[rank] = std::make_unique<server_owners<Process>>(everyone, rank, e);
  });
  const peers both(processes);
  const gpus_received files(both, e);
  const std::array streams{of[0]->all.streams()[0], of[1]->all.streams()[0]};
  std::string hang;
  try {
    launch_together(std::span<const stream>(streams),
                    server_grid<one_word, combined, modulo_partition, service, senders_unless_idle,
                                no_observer>,
                    of[0]->pool.template shape<service>(e.threads_per_block), [&](unsigned me) {
                      const server_owners<Process>& own = *of[me];
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
}  // namespace finesync::test::processes_test
