// The programs on the device: each of their primitives is right in all of some settings, one after
// another. A setting that a primitive or the machine does not support is passed over.
#include "gpu_fixture.hpp"

#include <finesync/host/error.cuh>
#include <workloads/atm/nested.hpp>
#include <workloads/barrier/barriers.hpp>
#include <workloads/barrier/gpus_barriers.hpp>
#include <workloads/bfs/barriers.hpp>
#include <workloads/chain/channels.hpp>
#include <workloads/ht/locks.hpp>
#include <workloads/ht/servers.hpp>
#include <workloads/instructions/fences.hpp>
#include <workloads/instructions/instructions.hpp>
#include <workloads/maxflow/flows.hpp>
#include <workloads/maxflow/locks.hpp>
#include <workloads/mst/minima.hpp>
#include <workloads/mutex/gpus_locks.hpp>
#include <workloads/mutex/locks.hpp>
#include <workloads/nw/alignments.hpp>
#include <workloads/queue/queues.hpp>
#include <workloads/semaphore/semaphores.hpp>
#include <workloads/sssp/barriers.hpp>
#include <workloads/team/teams.hpp>

#include <tests/primitives.hpp>
#include <tests/suite/instructions/fence_settings.hpp>
#include <tests/suite/instructions/instruction_settings.hpp>

#include <functional>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::test::programs_gpu_test {
namespace {

/// A primitive of a program with all its settings.
struct tested {
  std::string name;
  std::function<void()> expect_right;
};

void PrintTo(const tested& which, std::ostream* out) {
  *out << which.name;
}

/// Every run is right, and some setting is supported.
template <class RunConfig>
void expect_all_right(workload::make_experiment<RunConfig>* make,
                      const std::vector<RunConfig>& settings) {
  std::string unsupported;
  bool ran = false;
  for (std::size_t number = 0; number < settings.size(); ++number) {
    SCOPED_TRACE("setting " + std::to_string(number));
    try {
      workload::expect_right(*make(settings[number]));
      ran = true;
    } catch (const bench::infeasible& why) {
      unsupported = why.what();
    } catch (const launch_error& why) {
      unsupported = why.what();
    }
  }
  if (!ran) GTEST_SKIP() << unsupported;
}

/// Adds the primitives of a program. \param settings by a primitive's name; none: not tested.
template <class RunConfig, class Settings>
void add(std::vector<tested>& to, const std::string& program,
         std::span<const workload::catalogue_entry<RunConfig>> all, Settings settings) {
  for (const auto& each : workload::runnable(all)) {
    const std::vector<RunConfig> of = settings(std::string_view(each.name));
    if (of.empty()) continue;
    to.push_back({program + "_" + each.name,
                  [make = each.make, of] { expect_all_right<RunConfig>(make, of); }});
  }
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Few accounts and many, each drawn as often, or some much more often.
std::vector<atm::run_config> atm_settings(std::string_view) {
  std::vector<atm::run_config> found;
  for (const std::uint32_t accounts : {256u, 8192u})
    for (const double skew : {0.0, 0.9})
      found.push_back(
          {.problem = {.accounts = accounts, .transfers = 1 << 17, .skew = skew}, .groups = 0});
  return found;
}

/// Several grid and block sizes, the blocks of an SM among themselves, work beside the barrier, and
/// what blocks bring along.
std::vector<barrier::run_config> barrier_settings(std::string_view name) {
  using enum barrier::barrier_form;
  std::vector<barrier::run_config> found;
  const auto grid = [](unsigned blocks_per_sm, unsigned threads) {
    return barrier::run_config{.threads_per_block = threads,
                               .blocks_per_sm = blocks_per_sm,
                               .rounds = 100,
                               .words_per_thread = 4};
  };
  for (const unsigned threads : {64u, 7u, 1024u}) found.push_back(grid(1, threads));
  found.push_back(grid(4, 64));
  found.push_back(grid(4, 64));
  found.back().local_exchange = true;
  for (const unsigned cluster_blocks : {1u, 2u, 4u, 8u, 16u}) {
    if (name != "cluster") break;
    for (const unsigned threads : {1u, 33u, 256u, 1024u}) {
      found.push_back(grid(2, threads));
      found.back().cluster_blocks = cluster_blocks;
    }
  }
  if (is_one_of(name, {"cluster", "graph_relaunch", "dependent_launch"})) return found;
  for (const barrier::barrier_form form : {blocking, split_phase, overlapped}) {
    for (const unsigned blocks_per_sm : {1u, 8u}) {
      found.push_back(grid(blocks_per_sm, 64));
      found.back().words_per_thread = 0;
      found.back().form = form;
      found.back().work_cycles = 500;
    }
    if (!is_one_of(name, {"flat_counters", "gather_broadcast"})) continue;
    using enum barrier::reduction_kind;
    for (const barrier::reduction_kind what : {sum, minimum, any}) {
      for (const bool execution_only : {false, true}) {
        if (execution_only && (name != "flat_counters" || what == minimum)) continue;
        found.push_back(grid(4, 64));
        found.back().words_per_thread = 0;
        found.back().form = form;
        found.back().reduction = what;
        found.back().execution_only = execution_only;
      }
    }
  }
  return found;
}

/// Of several GPUs, or of two grids on one.
std::vector<barrier::run_config> gpus_barrier_settings(std::string_view) {
  std::vector<barrier::run_config> found;
  for (const unsigned blocks_per_sm : {1u, 4u, 32u})
    found.push_back({.blocks_per_sm = blocks_per_sm, .rounds = 200, .gpus = 2});
  return found;
}

std::vector<chain::run_config> chain_settings(std::string_view) {
  return {{.warps = 1},  {.warps = 2},  {.warps = 16},
          {.warps = 24}, {.warps = 32}, {.warps = 4, .distance = 3, .rounds = 20}};
}

std::vector<instructions::run_config> fence_settings(std::string_view) {
  std::vector<instructions::run_config> found;
  instructions::fences::for_all_settings(20, [&](const auto& each) { found.push_back(each); });
  return found;
}

/// In every form that the instruction has, and in every layout.
std::vector<instructions::run_config> instruction_settings(std::string_view) {
  std::vector<instructions::run_config> found;
  const auto keep = [&](const auto& each) { found.push_back(each); };
  instructions::for_all_forms(4, keep);
  instructions::for_all_layouts(4, keep);
  return found;
}

/// With some contention, at full occupancy, and all for one lock.
std::vector<ht::run_config> ht_settings(std::string_view) {
  const auto inserts = [](std::uint32_t keys, std::uint32_t number, unsigned blocks_per_sm) {
    return ht::run_config{
        .problem = {.collision_factor = keys, .inserts = number, .table_size = 1 << 16},
        .blocks_per_sm = blocks_per_sm};
  };
  return {inserts(256, 1 << 16, 2), inserts(1024, 1 << 18, 0), inserts(1, 1 << 14, 1)};
}

/// On meshes of several sizes, on hard networks, and with every pace.
std::vector<maxflow::run_config> maxflow_settings(std::string_view name) {
  std::vector<maxflow::run_config> found;
  // The paper's message path needs two warps.
  const unsigned more = name == "server_flow_printed" ? 32 : 0;
  for (const unsigned rows : {3u, 40u, 130u})
    for (const unsigned columns : {1u, rows, 77u})
      for (const unsigned threads : {32u, 256u})
        found.push_back({.problem = {.rows = rows, .columns = columns},
                         .threads_per_block = threads + more,
                         .blocks_per_sm = 1,
                         .steps_per_barrier = rows % 7 + 1});
  for (const char* input :
       {"genrmf/8x20", "ak/200", "matching/2000x3", "layered/8x300", "power-law/12"})
    found.push_back({.problem = {.input = input}, .threads_per_block = 128, .blocks_per_sm = 1});
  for (const unsigned percent : {1u, 1000u})
    found.push_back({.problem = {.rows = 100, .columns = 100},
                     .threads_per_block = 128,
                     .blocks_per_sm = 2,
                     .padded_locks = true,
                     .steps_per_barrier = 64,
                     .relabel_interval = percent});
  return found;
}

std::vector<mst::run_config> mst_settings(std::string_view) {
  std::vector<mst::run_config> found;
  for (const char* input :
       {"rmat/14", "rmat-graph500/14", "r4/15", "r4-cycle/13", "grid/150", "road/20000",
        "path/60000", "path-shuffled/60000", "path-pairs/60000", "path-merges/20000",
        "path-chains/60000", "caterpillar/60000", "comb/60000", "star-paths/60000", "clique/400",
        "cliques/60000", "hub/20000"})
    for (const unsigned light : {mst::all_light, 30u, 100u})
      found.push_back({.problem = {.input = input}, .light_percent = light});
  return found;
}

/// With empty sections and long ones, and queues on a full GPU. A lock without back-off comes to a
/// standstill with many blocks, which is a result and no error.
std::vector<mutex::run_config> mutex_settings(std::string_view name) {
  if (name == "spin") return {};
  const auto contended = [](unsigned blocks_per_sm, unsigned ldst) {
    return mutex::run_config{
        .blocks_per_sm = blocks_per_sm, .ldst = ldst, .rounds = 16, .cluster_blocks = 8};
  };
  std::vector<mutex::run_config> found{contended(1, 0), contended(8, 0), contended(8, 10)};
  if (is_one_of(name, {"array", "mcs"})) found.push_back(contended(32, 0));
  return found;
}

std::vector<mutex::run_config> gpus_mutex_settings(std::string_view name) {
  if (name == "system_spin") return {};
  std::vector<mutex::run_config> found;
  for (const unsigned gpus : {1u, 2u}) {
    for (const unsigned blocks_per_sm : {1u, 2u, 16u}) {
      found.push_back({.blocks_per_sm = blocks_per_sm, .rounds = 16, .cluster_blocks = 8});
      found.back().gpus = gpus;
    }
  }
  return found;
}

/// Strips, too, in clusters of any size, and more of them than fit.
std::vector<nw::run_config> nw_settings(std::string_view name) {
  std::vector<nw::run_config> found;
  const auto add_size = [&](unsigned rows, unsigned columns) -> nw::run_config& {
    found.push_back({.problem = {.rows = rows, .columns = columns}});
    return found.back();
  };
  for (const unsigned rows : {1u, 31u, 128u, 1003u})
    for (const unsigned columns : {1u, rows, 777u})
      add_size(rows, columns).rows = columns % 2 == 0 ? nw::pitch::packed : nw::pitch::lines;
  if (name != "strips") return found;
  for (const unsigned cluster_blocks : {1u, 2u, 8u, 16u}) {
    for (const unsigned strips_per_sm : {1u, 2u}) {
      nw::run_config& config = add_size(3001, 9001);
      config.cluster_blocks = cluster_blocks;
      config.strips_per_sm = strips_per_sm;
    }
  }
  add_size(40'000, 500);
  return found;
}

/// Full grids, with much room and with less than the items on their way.
std::vector<queue::run_config> queue_settings(std::string_view name) {
  using queue::traffic;
  std::vector<queue::run_config> found;
  const auto add_traffic = [&](traffic roles, bool by_block, unsigned items, unsigned bytes,
                               std::size_t capacity) {
    found.push_back({.roles = roles,
                     .threads_per_block = 1024,
                     .by_block = by_block,
                     .items = items,
                     .item_bytes = bytes,
                     .capacity = capacity,
                     .rounds = 16});
  };
  if (name == "array") return {};
  const bool draws_late = name == "broker";
  for (const unsigned bytes : {4u, 8u, 16u}) {
    if (draws_late && bytes != 8) continue;
    for (const unsigned items : {1u, 4u}) {
      for (const std::size_t capacity : {0u, 4096u})
        add_traffic(traffic::halves, !draws_late && items == 4, items, bytes, capacity);
      if (!draws_late) add_traffic(traffic::both, items == 1, items, bytes, 0);
    }
  }
  return found;
}

std::vector<traversal::run_config> search_settings(std::string_view) {
  using enum applications::barrier_form;
  std::vector<traversal::run_config> found;
  for (const char* const input : {"grid/300", "r4/12"})
    for (const applications::barrier_form form : {blocking, split_phase, overlapped})
      found.push_back({.input = input, .source = {}, .threads_per_block = 256, .form = form});
  return found;
}

/// A few blocks, and 32 blocks of 64 threads on every SM, under the load of the thesis, too. With
/// those the spin semaphore would not finish.
std::vector<semaphore::run_config> semaphore_settings(std::string_view name) {
  const bool has_writers = name != "libcudacxx";
  const bool is_short = is_one_of(name, {"priority", "cas", "ticket"});
  std::vector<semaphore::run_config> found;
  const auto add_load = [&](unsigned size, unsigned ldst, bool writer_grows) {
    found.push_back({.size = size,
                     .blocks_per_sm = 32,
                     .ldst = ldst,
                     .rounds = 4,
                     .writers = has_writers,
                     .writer_grows = writer_grows});
  };
  for (const unsigned size : {1u, 3u, 10u})
    found.push_back(
        {.size = size, .blocks_per_sm = 1, .sms = 8, .rounds = 50, .writers = has_writers});
  for (const unsigned size : {1u, 10u, 120u}) {
    if (is_short || !has_writers) add_load(size, 0, false);
    if (is_short) add_load(size, 10, false);
    if (is_one_of(name, {"priority_printed", "ticket"})) add_load(size, 10, true);
  }
  return found;
}

/// All SMs in teams of several sizes, and in rows and columns. Teams of up to 16 members use words,
/// larger ones a counter.
std::vector<team::run_config> team_settings(std::string_view) {
  std::vector<team::run_config> found;
  for (const bool crossing : {false, true})
    for (const unsigned size : {1u, 2u, 4u, 11u, 16u, 17u, 0u})
      for (const unsigned threads : {32u, 128u, 1024u})
        found.push_back({.threads_per_block = threads,
                         .team_size = size,
                         .crossing = crossing,
                         .words = 1,
                         .rounds = 500});
  return found;
}

std::vector<tested> all_programs() {
  std::vector<tested> found;
  add(found, "atm", atm::all_nested(), atm_settings);
  add(found, "barrier", barrier::all_barriers(), barrier_settings);
  add(found, "barrier", barrier::all_gpus_barriers(), gpus_barrier_settings);
  add(found, "bfs", bfs::all_barriers(), search_settings);
  add(found, "chain", chain::all_channels(), chain_settings);
  add(found, "ht", ht::all_locks(), ht_settings);
  add(found, "ht", ht::all_servers(), ht_settings);
  add(found, "instructions", instructions::all_instructions(), instruction_settings);
  add(found, "instructions", instructions::all_fences(), fence_settings);
  add(found, "maxflow", maxflow::all_flows(), maxflow_settings);
  add(found, "maxflow", maxflow::all_locks(), maxflow_settings);
  add(found, "mst", mst::all_minima(), mst_settings);
  add(found, "mutex", mutex::all_locks(), mutex_settings);
  add(found, "mutex", mutex::all_gpus_locks(), gpus_mutex_settings);
  add(found, "nw", nw::all_alignments(), nw_settings);
  add(found, "queue", queue::all_queues(), queue_settings);
  add(found, "semaphore", semaphore::all_semaphores(), semaphore_settings);
  add(found, "sssp", sssp::all_barriers(), search_settings);
  add(found, "team", team::all_teams(), team_settings);
  return found;
}

class programs_on_gpu : public on_gpu, public testing::WithParamInterface<tested> {};

INSTANTIATE_TEST_SUITE_P(all, programs_on_gpu, testing::ValuesIn(all_programs()),
                         workload::name_of_primitive);

TEST_P(programs_on_gpu, are_right) {
  GetParam().expect_right();
}

}  // namespace
}  // namespace finesync::test::programs_gpu_test
