// ht: inserts into a hash table under contention; see run_config.hpp.
#include <bench/machine_interface.hpp>
#include <workloads/common/engine/running_engine.hpp>
#include <workloads/common/engines.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/ht/gpus_servers.hpp>
#include <workloads/ht/locks.hpp>
#include <workloads/ht/servers.hpp>

#include <string>
#include <vector>

namespace {

using namespace finesync::ht;
using namespace finesync::workload;
namespace bench = finesync::bench;

int run(int argc, char** argv) {
  constexpr range any{1, 1ll << 30};
  const std::vector<std::string> command_line(argv, argv + argc);
  std::vector<std::string> words = command_line;
  const running_engine running(words);
  bench::program program(
      "ht",
      "Hash-table insert (HT of ASPLOS'19, section 4.1): threads push random keys onto the\n"
      "lists of a table; each list has its own lock.",
      running.machine(bench::real_machine()));
  const member_axes<run_config> axes{
      {collision_factor("distinct keys", "keys", 32), &run_config::problem,
       &problem::collision_factor},
      {number("inserts", "inserts per run, all threads together",
              bench::runs_on_gpu() ? 1 << 16 : 1 << 12, any),
       &run_config::problem, &problem::inserts},
      {number("table-size", "table entries, each with a list and a lock", 1 << 16, any),
       &run_config::problem, &problem::table_size},
      {threads_per_block_or_auto(
           "threads per block; auto: 256 for locks, 512 for servers, 1024 for gpus_server",
           {64, 256, 512, 1024}),
       &run_config::threads_per_block, 256},
      {tbs_per_sm_or_auto("thread blocks per SM; auto: as many as fit, at most 2 for servers",
                          {1, 2, 4, 8, 16, 32}),
       &run_config::blocks_per_sm, 0},
      {sms(), &run_config::sms},
      {number_or_auto("cluster-blocks",
                      "thread blocks of a cluster, which share their private copies: 1 or 2; auto: "
                      "by the number of entries",
                      2, "", {1, 2}),
       &run_config::cluster_blocks},
      {named_axis("lock-layout", "layout of the locks: packed in cache lines, or one line each",
                  {"packed", "padded"}),
       &run_config::padded_locks},
      {section_work(4096), &run_config::section_work},
      {named_axis(
           "section",
           "critical section: push onto the list, empty (no memory access, only section-work), or\n"
           "count (add one to the entry's counter: server_fast, and on several GPUs)",
           {"push", "empty", "count"}),
       &run_config::section},
      {servers_percent("50, for server_fast and gpus_server 75, or as many servers as a\n"
                       "balanced partition holds",
                       {33, 50, 60, 67, 75, 80}),
       [](run_config& config, unsigned percent) {
         if (percent == 0) config.servers.percent_is_open = true;
         if (percent != 0) config.servers.percent = percent;
       }},
      {number_or_auto("ring-slots",
                      "capacity of a server's ring, a power of two; auto: 4096, for server_fast "
                      "8192, for gpus_server 16384",
                      1 << 20, "requests", {4096, 8192, 16384}),
       &run_config::servers, &server_settings::ring},
      {number_or_auto("server-locks",
                      "locks in a server's shared memory, a power of two; auto: 4096, or as many "
                      "as fit",
                      1 << 15),
       &run_config::servers, &server_settings::locks},
      {number("local-buffer",
              "capacity of a client block's local buffer per server, a power of two", 64,
              {32, 1024}, "requests", {32, 64}),
       &run_config::servers, &server_settings::local_buffer},
      {number("client-work", "arithmetic of a client's thread before each insert", 0, {0, 4096},
              "1,000 cycles"),
       &run_config::servers, &server_settings::client_work},
      {named_axis("partition",
                  "which server has a key: by a sample of the load, key % servers, or equal\n"
                  "ranges of keys",
                  {"balanced", "modulo", "range"}),
       &run_config::servers, &server_settings::partition},
      {gpus(), &run_config::gpus},
      {running_engine::axis(), &run_config::engine}};
  declare(program, axes);
  const bench::source_of_inputs inputs = bench::always(
      {{"generator", "counter-based random elements, inputs/random.cuh"}, {"seed", 2019}});
  const auto filled = filled_by(axes);
  add<run_config>(program, all_locks(), filled, {"tbs-per-sm", "threads-per-block"}, inputs);
  // The number of servers first: from another axis, the search ends at half the speed.
  const std::vector<std::string> of_servers{"servers-percent", "threads-per-block"};
  add<run_config>(program, all_servers(), filled, of_servers, inputs);
  add<run_config>(program, all_gpus_servers(), filled, of_servers, inputs, running.guard());
  return program.run(words, command_line);
}

}  // namespace

int main(int argc, char** argv) {
  return main_with_engine("ht", run, argc, argv);
}
