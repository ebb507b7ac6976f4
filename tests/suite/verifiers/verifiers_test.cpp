// Every program's verification, after each change of one word of a right run: what it looks at it
// looks at wholly. Whatever weakens a condition, or leaves out an element, changes a row of marks.
#include <bench/experiment.hpp>
#include <simt/settings.hpp>
#include <workloads/atm/gpus_nested.hpp>
#include <workloads/atm/nested.hpp>
#include <workloads/barrier/barriers.hpp>
#include <workloads/bfs/barriers.hpp>
#include <workloads/chain/channels.hpp>
#include <workloads/event/events.hpp>
#include <workloads/ht/gpus_servers.hpp>
#include <workloads/ht/locks.hpp>
#include <workloads/ht/servers.hpp>
#include <workloads/instructions/fences.hpp>
#include <workloads/instructions/instructions.hpp>
#include <workloads/maxflow/flows.hpp>
#include <workloads/mst/minima.hpp>
#include <workloads/mutex/gpus_locks.hpp>
#include <workloads/mutex/locks.hpp>
#include <workloads/nw/alignments.hpp>
#include <workloads/pagerank/barriers.hpp>
#include <workloads/queue/queues.hpp>
#include <workloads/reduce/barriers.hpp>
#include <workloads/semaphore/semaphores.hpp>
#include <workloads/sgd/nested.hpp>
#include <workloads/sssp/barriers.hpp>
#include <workloads/stream_k/fixups.hpp>
#include <workloads/taskgraph/schedules.hpp>
#include <workloads/team/teams.hpp>

#include <gtest/gtest.h>
#include <tests/primitives.hpp>
#include <tests/suite/sgd/small.hpp>
#include <tests/suite/verifiers/allocations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace finesync {
namespace {

using test::add;
using test::allocation;
using test::allocations;

/// Makes a word smaller or larger. \returns the bytes of such a word.
std::size_t change(const allocation& of, std::byte* word, int sign) {
  if (of.is_of("float")) return add<float>(word, 1000 * sign);
  if (of.is_of("unsigned char")) return add<std::uint8_t>(word, sign);
  if (of.is_of("unsigned long")) return add<std::uint64_t>(word, sign);
  return add<std::uint32_t>(word, sign);
}

/// What decides: for each allocation its name and marks of the words of its first, one third's and
/// last element (of all, if there are few), "=" if the run is wrong whatever it is, "<" if it is
/// smaller, ">" if larger, "." neither. A word that times the run out is a watchdog's. \param each
/// of the allocations, in turn: none after one from which a further run goes astray, as it is no
/// result.
class changed_runs {
 public:
  explicit changed_runs(bench::experiment& run) : run_(run) {
    run.reset();
    run.launch();
    all_ = allocations();
    for (const allocation& each : all_) right_.emplace_back(each.begin, each.begin + each.bytes);
    EXPECT_EQ(ending(), bench::status::ok);
  }

  std::string what_decides() {
    std::string found;
    for (const allocation& each : all_) {
      const std::string marks = marks_of(each);
      if (marks.find_first_of("<>=d") != marks.npos)
        found += (found.empty() ? "" : ", ") + (marks == "dog" ? "watchdog" : each.name + marks);
    }
    return found;
  }

 private:
  bench::status ending() {
    const auto restore = [&] {
      for (std::size_t i = 0; i < all_.size(); ++i) std::ranges::copy(right_[i], all_[i].begin);
    };
    try {
      const bench::status ended = run_.verify().what;
      restore();
      return ended;
    } catch (const std::exception&) {
      restore();
      throw;
    }
  }

  std::string marks_of(const allocation& of) {
    std::memset(of.begin, 0xff, std::min<std::size_t>(of.bytes, 32));
    try {
      if (ending() == bench::status::timeout) return "dog";
    } catch (const std::exception&) {  // so many of its words are too many
    }
    std::vector<std::size_t> elements{0, of.size() * 2 / 3, of.size() - 1};
    if (of.size() <= 6) elements = {0, 1, 2, 3, 4, 5};
    std::string marks;
    try {
      for (std::size_t at = 0, word = 4; at < std::min<std::size_t>(of.element(), 16); at += word) {
        marks += ' ';
        for (const std::size_t element : elements) {
          if (element >= of.size()) break;
          std::byte* const place = of.begin + element * of.element() + at;
          word = change(of, place, -1);
          const bool smaller = ending() == bench::status::wrong;
          change(of, place, 1);
          const bool larger = ending() == bench::status::wrong;
          marks += ".<>="[(smaller ? 1 : 0) + (larger ? 2 : 0)];
        }
      }
    } catch (const std::exception&) {
      marks += '!';
    }
    return marks;
  }

  bench::experiment& run_;
  std::vector<allocation> all_;
  std::vector<std::vector<std::byte>> right_;
};

struct subject {
  std::string name;
  std::function<std::unique_ptr<bench::experiment>()> make;
  std::string decides;
};
void PrintTo(const subject& which, std::ostream* out) {
  *out << which.name;
}

std::vector<subject> subjects() {
  std::vector<subject> all;
  const auto add = [&](const char* name, auto entries, std::string_view primitive, auto config,
                       const char* decides) {
    const auto found = std::ranges::find(entries, primitive, [](const auto& e) { return e.name; });
    all.push_back({name, [=] { return found->make(config); }, decides});
  };
  atm::run_config transfers{.problem = {.accounts = 8, .transfers = 40}, .threads_per_block = 36};
  add("atm", atm::all_nested(), "lockfree", transfers,
      "40 x unsigned long ==!, 40 x unsigned char ===, watchdog, 8 x unsigned int ===");
  transfers.empty_sections = true;
  add("atm_of_empty_sections", atm::all_nested(), "spin_in_order", transfers,
      "watchdog, 1 x unsigned long =");
  transfers.empty_sections = false;
  transfers.gpus = 2;
  add("atm_of_gpus", atm::all_gpus_nested(), "system_lockfree", transfers,
      "watchdog, watchdog, 20 x unsigned long =!, 20 x unsigned char ===, 20 x unsigned char ===, "
      "8 x unsigned int =.., 8 x unsigned int =..");
  barrier::run_config rounds{.threads_per_block = 33,
                             .blocks_per_sm = 1,
                             .rounds = 4,
                             .words_per_thread = 2,
                             .litmus = {.rounds = 1, .stores = 2}};
  add("barrier", barrier::all_barriers(), "atomic_tree", rounds,
      "watchdog, 288 x unsigned int ==., 1 x unsigned long =, 1 x unsigned long =");
  rounds.words_per_thread = 0;
  rounds.work_cycles = 1;
  add("barrier_with_work", barrier::all_barriers(), "atomic_tree", rounds,
      "watchdog, 1 x unsigned long =, 1 x unsigned long =, 2 x unsigned int ==");
  const traversal::run_config search{.input = "r4/4", .source = {}, .threads_per_block = 32};
  add("bfs", bfs::all_barriers(), "flat_counters", search,
      "16 x unsigned int ===, 2 x unsigned int ==, watchdog");
  add("sssp", sssp::all_barriers(), "flat_counters", search,
      "16 x unsigned int ===, 2 x unsigned int ==, watchdog");
  add("chain", chain::all_channels(), "full_empty", chain::run_config{.warps = 2, .rounds = 3},
      "192 x unsigned int ===, 192 x lap ... === ... =.., watchdog");
  hand_off::run_config events{.threads_per_block = 64, .rounds = 3};
  add("event", hand_off::all_events(), "event_counts", events, "2 x unsigned long ==, watchdog");
  events.producers = events.consumers = 0;
  add("event_of_all", hand_off::all_events(), "event_counts", events,
      "2 x unsigned long ==, watchdog");
  ht::run_config inserts{.problem = {.collision_factor = 32, .inserts = 70, .table_size = 64},
                         .servers = {.ring = 64, .locks = 32, .local_buffer = 32}};
  add("ht", ht::all_locks(), "spin", inserts,
      "64 x unsigned int ===, 70 x unsigned int ===, watchdog");
  inserts.section = ht::section_kind::empty;
  add("ht_of_empty_sections", ht::all_locks(), "spin", inserts, "1 x unsigned long =, watchdog");
  inserts.section = ht::section_kind::count;
  add("ht_that_counts", ht::all_servers(), "server_fast", inserts,
      "64 x unsigned int ===, watchdog");
  inserts.gpus = 2;
  add("ht_of_gpus_that_counts", ht::all_gpus_servers(), "gpus_server", inserts,
      "watchdog, watchdog, 64 x unsigned int ===, 64 x unsigned int ===");
  inserts.section = ht::section_kind::push;
  add("ht_of_gpus", ht::all_gpus_servers(), "gpus_server", inserts,
      "watchdog, watchdog, 64 x unsigned int ===, 64 x unsigned int ===, 70 x unsigned int ..=, 70 "
      "x unsigned int ==.");
  inserts.section = ht::section_kind::empty;
  add("ht_of_gpus_and_empty_sections", ht::all_gpus_servers(), "gpus_server", inserts,
      "watchdog, watchdog, 1 x unsigned long =, 1 x unsigned long =");
  add("instructions_fence", instructions::all_fences(), "acq_rel",
      instructions::run_config{.rounds = 3,
                               .fence = {.accessed = instructions::fences::place::near_l2,
                                         .kind = instructions::fences::access::addition}},
      "6 x unsigned int ==<==>");
  instructions::run_config chain{.stride = 4, .sms = 1, .rounds = 2};
  add("instructions", instructions::all_instructions(), "add", chain,
      "32 x unsigned int ===, 32 x unsigned long ===, watchdog");
  add("instructions_of_warps", instructions::all_instructions(), "shuffle", chain,
      "32 x unsigned long ===, watchdog");
  chain.what = instructions::measure::throughput;
  chain.stride = 0;
  add("instructions_on_one_word", instructions::all_instructions(), "exchange", chain,
      "2 x unsigned int =., 32 x unsigned long ===, watchdog");
  add("maxflow", maxflow::all_flows(), "two_locks_in_order",
      maxflow::run_config{
          .problem = {.rows = 4, .columns = 4}, .threads_per_block = 32, .blocks_per_sm = 1},
      "44 x unsigned long ===, watchdog, 5 x unsigned int ===..");
  add("mst", mst::all_minima(), "per_vertex_spin",
      mst::run_config{.problem = {"r4/4"}, .threads_per_block = 32, .blocks_per_sm = 1},
      "32 x unsigned int ===, watchdog");
  mutex::run_config sections{
      .blocks_per_sm = 2, .threads_per_block = 33, .ldst = 3, .rounds = 5, .cluster_blocks = 1};
  add("mutex", mutex::all_locks(), "spin", sections,
      "99 x unsigned int ===, 4 x unsigned int ====, watchdog");
  sections.ldst = 0;
  sections.gpus = 2;
  add("mutex_of_gpus", mutex::all_gpus_locks(), "system_spin", sections,
      "watchdog, watchdog, 1 x unsigned int =, 4 x unsigned int ====, 4 x unsigned int ====");
  add("nw", nw::all_alignments(), "atomic_lock",
      nw::run_config{.problem = {.rows = 20, .columns = 20}}, "505 x int ===, watchdog");
  add("pagerank", pagerank::all_barriers(), "flat_counters",
      pagerank::run_config{
          .input = "r4/4", .threads_per_block = 32, .blocks_per_sm = 1, .enough = 1e-2f},
      "16 x float ===, 32 x float =.., 1 x unsigned int =, watchdog");
  queue::run_config items{.roles = queue::traffic::halves, .rounds = 3};
  add("queue", queue::all_queues(), "slot", items,
      "128 x items_of_thread === === === ===, watchdog");
  items.roles = queue::traffic::ping;
  add("queue_there_and_back", queue::all_queues(), "slot", items,
      "32 x items_of_thread === === === ===, watchdog");
  add("reduce", reduce::all_barriers(), "flat_counters",
      reduce::run_config{.words = 100, .rounds = 7, .threads_per_block = 32, .blocks_per_sm = 1},
      "7 x unsigned long ===, watchdog");
  add("semaphore", semaphore::all_semaphores(), "spin",
      semaphore::run_config{
          .size = 3, .blocks_per_sm = 3, .threads_per_block = 32, .ldst = 1, .rounds = 4},
      "32 x unsigned int ===, 6 x unsigned int <<====, 6 x unsigned int ======, 96 x unsigned int "
      "==., watchdog");
  add("sgd", sgd::all_nested(), "spin_in_order", sgd::crowded(),
      "5 x float =====, 5 x float =====, watchdog");
  add("stream_k", stream_k::all_fixups(), "lock_per_tile",
      stream_k::run_config{.tiles = 3, .depth = 8, .threads_per_block = 33, .rounds = 3},
      "891 x float ===, watchdog");
  add("taskgraph", taskgraph::all_schedules(), "static_words",
      taskgraph::run_config{
          .graph = {.layers = 4, .tasks_per_layer = 6, .events_per_layer = 2, .most_inputs = 3},
          .threads_per_block = 32,
          .rounds = 3},
      "24 x event_words<event_tags>::line === === === !, 1 x unsigned int =, watchdog");
  add("team", team::all_teams(), "team_barrier",
      team::run_config{.threads_per_block = 64, .words = 1, .rounds = 3},
      "2 x unsigned long ==, watchdog");
  return all;
}

class verifiers : public ::testing::TestWithParam<subject> {};
INSTANTIATE_TEST_SUITE_P(, verifiers, ::testing::ValuesIn(subjects()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(verifiers, look_at_all_of_what_decides) {
  simt::settings settings;
  settings.gpu.sms = 2;
  settings.longest_launch_ns = 100'000'000;  // of a further run from what is changed
  const simt::scoped_settings scoped(settings);
  const auto run = GetParam().make();
  EXPECT_EQ(changed_runs(*run).what_decides(), GetParam().decides);
}

const subject& the(std::string_view name) {
  static const std::vector<subject> all = subjects();
  return *std::ranges::find(all, name, &subject::name);
}

// The last outputs alone do not show what the replays before have found.
TEST(task_graphs, are_looked_at_in_every_replay) {
  const auto run = the("taskgraph").make();
  for (const int more : {1, -2}) {
    run->reset();
    for (const allocation& each : allocations())
      if (each.is_of("task_work")) add<std::uint32_t>(each.begin + each.bytes - 4, more);
    run->launch();
    EXPECT_EQ(run->verify().reason, "3 outputs are not what their tasks' inputs make");
  }
}

}  // namespace
}  // namespace finesync
