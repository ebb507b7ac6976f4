// ht: inserts into a hash table under contention; see run_config.hpp.
#include <bench/machine_interface.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/engine/running_engine.hpp>
#include <workloads/common/engines.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/ht/gpus_servers.hpp>
#include <workloads/ht/locks.hpp>
#include <workloads/ht/servers.hpp>

#include <string>
#include <vector>

namespace {

using namespace finesync::ht;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>& primitive) {
  const auto value = [&](const char* axis) { return static_cast<std::uint32_t>(point[axis]); };
  const grid_of_point grid = grid_or_default(point, primitive, 256);
  return {.problem = {.collision_factor = value("collision-factor"),
                      .inserts = value("inserts"),
                      .table_size = value("table-size")},
          .threads_per_block = grid.threads_per_block,
          .blocks_per_sm = grid.blocks_per_sm,
          .sms = static_cast<unsigned>(point.value_or("sms", 0)),
          .padded_locks = point.value_or("lock-layout", 0) != 0,
          .section_work = value("section-work"),
          .section = static_cast<section_kind>(value("section")),
          .servers = {.percent = value_or_default(point, primitive, "servers-percent"),
                      .percent_is_open = point.value_or("servers-percent", 0) == 0,
                      .ring = value_or_default(point, primitive, "ring-slots"),
                      .locks = value_or_default(point, primitive, "server-locks"),
                      .local_buffer = value_or_default(point, primitive, "local-buffer"),
                      .partition = static_cast<partition_policy>(point.value_or(
                          "partition", static_cast<long long>(partition_policy::modulo))),
                      .client_work = static_cast<std::uint32_t>(point.value_or("client-work", 0))},
          .gpus = static_cast<unsigned>(point.value_or("gpus", 1)),
          .engine = static_cast<engine_kind>(point.value_or("engine", 0))};
}

int run(int argc, char** argv) {
  using bench::named_axis;
  constexpr long long most = 1ll << 30;
  const std::vector<std::string> command_line(argv, argv + argc);
  std::vector<std::string> words = command_line;
  const running_engine running(words);
  bench::program program(
      "ht",
      "Hash-table insert (HT of ASPLOS'19, section 4.1): threads push random keys onto the\n"
      "lists of a table; each list has its own lock.",
      running.machine(bench::real_machine()));
  program.axis(collision_factor("distinct keys", "keys", 32))
      .axis({.name = "inserts",
             .help = "inserts per run, all threads together",
             .values = {1 << 16},
             .min = 1,
             .max = most})
      .axis({.name = "table-size",
             .help = "table entries, each with a list and a lock",
             .values = {1 << 16},
             .min = 1,
             .max = most})
      .axis(left_open(threads_per_block(
          "threads per block; auto: 256 for locks, 512 for servers, 1024 for gpus_server",
          {64, 256, 512, 1024})))
      .axis(
          left_open(tbs_per_sm("thread blocks per SM; auto: as many as fit, at most 2 for servers",
                               {1, 2, 4, 8, 16, 32})))
      .axis(sms())
      .axis(named_axis("lock-layout",
                       "layout of the locks: packed in cache lines, or one line each",
                       {"packed", "padded"}))
      .axis(section_work(4096))
      .axis(named_axis(
          "section",
          "critical section: push onto the list, empty (no memory access, only section-work), or\n"
          "count (add one to the entry's counter: server_fast, and on several GPUs)",
          {"push", "empty", "count"}))
      .axis(servers_percent("50, for server_fast and gpus_server 75, or as many servers as a\n"
                            "balanced partition holds",
                            {33, 50, 60, 67, 75, 80}))
      .axis(left_open(
          {.name = "ring-slots",
           .help = "capacity of a server's ring, a power of two; auto: 4096, for server_fast 8192, "
                   "for gpus_server 16384",
           .max = 1 << 20,
           .unit = "requests",
           .candidates = {4096, 8192, 16384}}))
      .axis(left_open({.name = "server-locks",
                       .help = "locks in a server's shared memory, a power of two; auto: 4096, or "
                               "as many as fit",
                       .max = 1 << 15}))
      .axis({.name = "local-buffer",
             .help = "capacity of a client block's local buffer per server, a power of two",
             .values = {64},
             .min = 32,
             .max = 1024,
             .unit = "requests",
             .candidates = {32, 64}})
      .axis({.name = "client-work",
             .help = "arithmetic of a client's thread before each insert",
             .values = {0},
             .max = 4096,
             .unit = "1,000 cycles"})
      .axis(named_axis("partition",
                       "which server has a key: by a sample of the load, key % servers, or equal\n"
                       "ranges of keys",
                       {"balanced", "modulo", "range"}))
      .axis(gpus())
      .axis(running_engine::axis());
  const bench::source_of_inputs inputs = bench::always(
      {{"generator", "counter-based random elements, inputs/random.cuh"}, {"seed", 2019}});
  add<run_config>(program, all_locks(), run_config_of, {"tbs-per-sm", "threads-per-block"}, inputs);
  // The number of servers first: from another axis, the search ends at half the speed.
  const std::vector<std::string> of_servers{"servers-percent", "threads-per-block"};
  add<run_config>(program, all_servers(), run_config_of, of_servers, inputs);
  add<run_config>(program, all_gpus_servers(), run_config_of, of_servers, inputs, running.guard());
  return program.run(words, command_line);
}

}  // namespace

int main(int argc, char** argv) {
  return main_with_engine("ht", run, argc, argv);
}
