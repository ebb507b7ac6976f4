// Sections over data of two servers on the paper's message path: each runs once, alone with both,
// over many schedules and sizes, with as many messages as printed. Also likely mistakes.
#include <finesync/device/warp.cuh>
#include <finesync/locks/ttas_lock.cuh>
#include <workloads/printed/server/paper/outbox.cuh>
#include <workloads/printed/server/paper_lending/paper_nested_server_pool.cuh>

#include <tests/counted.hpp>
#include <tests/library/harness/harness.hpp>
#include <tests/library/server/pair_counts.hpp>

#include <atomic>

namespace finesync::test::paper_nested_test {
namespace {

/// The smallest blocks, rings and buffers, and keys that share locks.
constexpr paper_nested_config smallest{.servers = 3,
                                       .clients = 1,
                                       .threads_per_block = 160,
                                       .ring = 32,
                                       .locks = 2,
                                       .local_buffer = 32};

struct scenario {
  paper_nested_config config = smallest;
  pair_clients clients = {.keys = 7, .sections_each = 1};

  std::uint32_t threads() const { return config.clients * config.threads_per_block; }
  std::uint32_t sections() const { return threads() * clients.sections_each; }
  /// Sections over two servers.
  std::uint32_t remote() const {
    std::uint32_t found = 0;
    for (std::uint32_t number = 0; number < sections(); ++number)
      found +=
          clients.first_of(number) % config.servers != clients.second_of(number) % config.servers;
    return found;
  }
};

using right = paper_nested_protocol<std::uint32_t>;

/// \param longest_wait_ns by default longer than any scenario.
template <class Protocol = right>
std::string complaint_of(const scenario& e, std::uint64_t longest_wait_ns = 60'000'000) {
  paper_nested_server_pool<pair_counts, Protocol> pool(e.config);
  return complaint_of_a_run(pool, e.threads(), e.clients, longest_wait_ns);
}

/// One of many sizes.
scenario scenario_of(std::uint32_t seed) {
  const auto one_of = [&](std::uint32_t what, std::uint32_t number) {
    return inputs::random32(5, what, seed) % number;
  };
  return {.config = {.servers = 1 + one_of(0, 4),
                     .clients = 1 + one_of(1, 2),
                     .threads_per_block = 160 + 32 * one_of(2, 3),
                     .ring = 32u << one_of(3, 2),
                     .locks = 1u << one_of(4, 4),
                     .local_buffer = 32u << one_of(5, 2)},
          .clients = {.keys = 2 + one_of(6, 30), .sections_each = 1 + one_of(7, 3)}};
}

TEST(paper_nested_servers, run_every_section_once_and_alone) {
  std::atomic<unsigned> runs = 0;
  std::atomic<unsigned> wrong = 0;
  const auto complaint = [&] {
    ++runs;
    const std::string said = complaint_of({});
    wrong += said.empty() ? 0 : 1;
    return said;
  };
  EXPECT_EQ(first_complaint(strong, seed_budget(30), complaint), "");
  EXPECT_EQ(first_complaint(weak, seed_budget(30), complaint), "");
  record_count("A33", "random schedules", wrong, runs);
}

TEST(paper_nested_servers, do_so_at_every_size) {
  for (std::uint32_t seed = 0; seed < seed_budget(12); ++seed) {
    const scenario e = scenario_of(seed);
    const auto complaint = [&] { return complaint_of(e); };
    EXPECT_EQ(first_complaint(seed % 2 == 0 ? strong : weak, 2, complaint), "") << "size " << seed;
  }
}

TEST(paper_nested_servers, may_have_any_lock_of_one_word) {
  using protocol = paper_nested_protocol<std::uint32_t, ttas_lock<scope::block, no_backoff>>;
  EXPECT_EQ(first_complaint(weak, seed_budget(10), [] { return complaint_of<protocol>({}); }), "");
}

using in_place = paper_nested_protocol<pair_counts_in_place::datum>;

template <class Protocol = in_place>
std::string complaint_in_place(const scenario& e) {
  paper_nested_server_pool<pair_counts_in_place, Protocol> pool(e.config);
  return complaint_of_a_run<pair_counts_in_place>(pool, e.threads(), e.clients);
}

TEST(paper_nested_servers, may_use_data_where_they_are) {
  for (std::uint32_t seed = 0; seed < seed_budget(8); ++seed) {
    const scenario e = scenario_of(seed);
    const auto complaint = [&] { return complaint_in_place(e); };
    EXPECT_EQ(first_complaint(seed % 2 == 0 ? strong : weak, 2, complaint), "") << "size " << seed;
  }
}

TEST(paper_nested_servers, reject_blocks_without_followers) {
  scenario none;
  none.config.threads_per_block = 128;
  EXPECT_THROW(paper_nested_server_pool<pair_counts>{none.config}, std::invalid_argument);
}

/// Messages and atomics of a run.
struct counted {
  nested_message_counts sent;
  double global_atomics;
};

counted count(const scenario& e) {
  paper_nested_server_pool<pair_counts> pool(e.config);
  EXPECT_EQ(complaint_of_a_run(pool, e.threads(), e.clients), "");
  return {pool.sent(), last_launch_counts()["rmw_device_global"]};
}

/// The additions that announce the end: each client to each server, and each server to each on
/// three rings.
double endings(const paper_nested_config& config) {
  return config.servers * (config.clients + 3.0 * config.servers);
}

TEST(messages_of_paper_nested_servers, are_four_over_two_servers_and_one_over_one) {
  for (std::uint32_t seed = 0; seed < seed_budget(4); ++seed) {
    const scenario e = scenario_of(seed);
    const auto sent = count(e).sent;
    EXPECT_EQ(sent.offloads, e.sections());
    EXPECT_EQ(sent.requests, e.remote());
    EXPECT_EQ(sent.replies, e.remote());
    EXPECT_EQ(sent.unlocks, e.remote());
  }
}

TEST(messages_of_paper_nested_servers, lend_nearly_a_lock_per_section_with_many_servers) {
  scenario e;
  e.config.servers = 26;
  e.config.clients = 4;
  e.config.locks = 4096;
  e.clients.keys = 256;
  simt::settings how = simt::current_settings();
  how.gpu = simt::find_gpu_model("h200");  // where so many blocks fit
  const simt::scoped_settings scoped(how);
  const auto sent = count(e).sent;
  EXPECT_GT(static_cast<double>(sent.replies) / e.sections(), 0.9);
  const auto all = static_cast<double>(sent.offloads + sent.requests + sent.replies + sent.unlocks);
  EXPECT_NEAR(all / e.sections(), 1 + 3 * (1 - 1.0 / e.config.servers), 0.05);
}

TEST(messages_of_paper_nested_servers, are_none_between_servers_if_there_is_one) {
  scenario alone;
  alone.config.servers = 1;
  const counted run = count(alone);
  EXPECT_EQ(run.sent.offloads, alone.sections());
  EXPECT_EQ(run.sent.requests + run.sent.replies + run.sent.unlocks, 0);
}

/// One thread sends one section over two servers.
struct one_section {
  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned /*threads*/) const {
    return thread != 0 || out.send(1, 0, 0);
  }
};

// Each message: an addition and a bit. Who handles replies and unlock messages clears the bit and
// counts it as read; leaders do so for an eighth of a ring. The section's own count is one more.
TEST(messages_of_paper_nested_servers, take_an_addition_and_a_bit_each) {
  paper_nested_config config = smallest;
  config.servers = 2;
  auto data = zeroed(2);
  auto runs = zeroed(1);
  const watchdog timeout(20'000'000);
  paper_nested_server_pool<pair_counts> pool(config);
  pool.launch(pair_counts{data.device_data(), runs.device_data()}, one_section{}, timeout.ref());
  EXPECT_EQ(last_launch_counts()["rmw_device_global"], 2 + 2 + 4 + 4 + endings(config) + 1);
}

// All sections want the same two locks. The most atomics are those of messages that travel alone.
TEST(messages_of_paper_nested_servers, never_include_an_attempt_for_a_lock) {
  scenario crowded;
  crowded.config.servers = 2;
  crowded.clients.keys = 2;
  EXPECT_EQ(crowded.remote(), crowded.sections());
  const double most = crowded.sections() * (4.0 * 4 + 1) + endings(crowded.config);
  EXPECT_LE(count(crowded).global_atomics, most);
}

/// Releases a lock when it lends it.
struct lets_go_early : right {
  __device__ static void lend(lock held) { leave(held); }
  __device__ static void take_back(lock) {}
};

/// Continues without locks.
struct takes_nothing : right {
  __device__ static bool try_take(lock) { return true; }
  __device__ static void leave(lock) {}
  __device__ static void take_back(lock) {}
};

/// Has clients sort by the numbers of data, which servers hold in turn.
struct sorts_by_data : right {
  struct order {
    __device__ static bool comes_first(const destination& one, const destination& other) {
      return one.local != other.local ? one.local < other.local : one.server < other.server;
    }
  };
};

/// Has followers wait for space in a ring of requests, as clients may.
struct waits_for_space : right {
  class request_outbox : public paper_outbox<lent_lock_request, scope::device> {
   public:
    using paper_outbox::paper_outbox;
    struct placed {
      destination to;
      lent_lock_request what;
    };
    __device__ placed place(const destination& to, lent_lock_request what) const {
      return {to, what};
    }
    __device__ bool try_put(const placed& request) { return send(request.to, request.what); }
    __device__ void copy_next() {
      const lane_group warp = lane_group::whole_warp();
      bounded_wait wait(watchdog_, awaited::ring);
      copy(warp, warp.get(warp.is_leader() ? next_server() : 0, 0), wait);
    }
  };
};

template <class Protocol>
bool is_rejected(simt::memory_kind memory, const scenario& e = {}, unsigned seeds = 40) {
  return !first_complaint(
              memory, seeds, [&] { return complaint_of<Protocol>(e, 5'000'000); }, races::pass)
              .empty();
}

TEST(broken_paper_nested_servers, that_let_go_of_a_lock_early_are_rejected) {
  EXPECT_TRUE(is_rejected<lets_go_early>(strong));
  EXPECT_TRUE(is_rejected<lets_go_early>(weak));
}

TEST(broken_paper_nested_servers, without_locks_are_rejected) {
  EXPECT_TRUE(is_rejected<takes_nothing>(weak));
}

struct takes_nothing_in_place : in_place {
  __device__ static bool try_take(lock) { return true; }
  __device__ static void leave(lock) {}
  __device__ static void take_back(lock) {}
};

TEST(broken_paper_nested_servers, without_locks_for_data_where_they_are_are_rejected) {
  EXPECT_NE(
      first_complaint(
          weak, 10, [] { return complaint_in_place<takes_nothing_in_place>({}); }, races::pass),
      "");
}

TEST(broken_paper_nested_servers, that_sort_by_data_deadlock) {
  EXPECT_TRUE(is_rejected<sorts_by_data>(strong));
}

/// Many sections want the one lock of the last server: more than a ring and the lanes of a follower
/// hold.
TEST(broken_paper_nested_servers, that_wait_for_space_deadlock) {
  scenario crowded;
  crowded.config.servers = 4;
  crowded.config.clients = 2;
  crowded.config.locks = 1;
  crowded.clients.keys = 4;
  EXPECT_EQ(first_complaint(strong, seed_budget(3), [&] { return complaint_of(crowded); }), "");
  EXPECT_TRUE(is_rejected<waits_for_space>(strong, crowded));
  crowded.config.ring = 4096;
  EXPECT_FALSE(is_rejected<waits_for_space>(strong, crowded, seed_budget(3)));
}

}  // namespace
}  // namespace finesync::test::paper_nested_test
