// atm: bank transfers, each between two accounts and so under two locks; see run_config.hpp.
#include <bench/machine_interface.hpp>
#include <workloads/atm/gpus_nested.hpp>
#include <workloads/atm/nested.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/engine/running_engine.hpp>
#include <workloads/common/engines.hpp>
#include <workloads/common/primitives.hpp>

#include <string>
#include <vector>

namespace {

using namespace finesync::atm;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>& primitive) {
  const auto value = [&](const char* axis) { return static_cast<std::uint32_t>(point[axis]); };
  const grid_of_point grid = grid_or_default(point, primitive, 64);
  return {.problem = {.accounts = value("collision-factor"),
                      .transfers = value("transfers"),
                      .skew = static_cast<double>(point["skew"]) / 100},
          .threads_per_block = grid.threads_per_block,
          .blocks_per_sm = grid.blocks_per_sm,
          .sms = static_cast<unsigned>(point.value_or("sms", 0)),
          .padded_accounts = point.value_or("account-layout", 0) != 0,
          .section_work = static_cast<std::uint32_t>(point.value_or("section-work", 0)),
          .empty_sections = point.value_or("section", 0) != 0,
          .batch = value_or_default(point, primitive, "batch-size", 1 << 22),
          .groups = value_or_default(point, primitive, "account-groups"),
          .servers_percent = value_or_default(point, primitive, "servers-percent"),
          .client_warps = value_or_default(point, primitive, "client-warps"),
          .gpus = static_cast<unsigned>(point.value_or("gpus", 1)),
          .engine = static_cast<engine_kind>(point.value_or("engine", 0))};
}

// Values are hundredths of the exponent.
bench::axis skew() {
  constexpr int largest = 300;
  std::vector<std::string> names = {"uniform"};
  for (int hundredths = 1; hundredths <= largest; ++hundredths)
    names.push_back("zipf-" + std::to_string(hundredths));
  bench::axis exponent = bench::named_axis(
      "skew", "distribution of the accounts: the exponent of Zipf's law; 0: uniform", names);
  exponent.decimals = 2;
  return exponent;
}

int run(int argc, char** argv) {
  using bench::named_axis;
  const std::vector<std::string> command_line(argv, argv + argc);
  std::vector<std::string> words = command_line;
  const running_engine running(words);
  bench::program program(
      "atm",
      "Bank transfers (ATM of ASPLOS'19, section 4.1): each moves an amount from one account to\n"
      "another if the first holds enough, and reports to its client whether it did.",
      running.machine(bench::real_machine()));
  program.axis(collision_factor("accounts", "accounts", 2))
      .axis({.name = "transfers",
             .help = "transfers per run, all threads together",
             .values = {1 << 16},
             .min = 1,
             .max = 1ll << 30})
      .axis(skew())
      .axis(left_open(threads_per_block("threads per block; auto: 64; 1024 for conflict_free* and "
                                        "server_nested*; 512 for server_single",
                                        {8, 32, 64, 256, 512})))
      .axis(left_open(tbs_per_sm(
          "thread blocks per SM; auto: 1 for servers and conflict_free*, else as many as fit",
          {1, 2, 4, 8, 16, 32})))
      .axis(sms())
      .axis(layout("account-layout",
                   "layout of accounts and their locks: packed in cache lines, or one line each"))
      .axis(section_work(1024))
      .axis(named_axis("section",
                       "critical section: transfer, or empty (no memory access, only section-work)",
                       {"transfer", "empty"}))
      .axis(left_open({.name = "batch-size",
                       .help = "transfers per batch; auto: 4M",
                       .max = 1 << 24,
                       .unit = "transfers",
                       .candidates = {1 << 20, 1 << 22, 1 << 24}}))
      .axis(left_open({.name = "account-groups",
                       .help = "number of groups of accounts, even; auto: 64, or as many as fit",
                       .max = 256,
                       .candidates = {32, 64, 128}}))
      .axis(servers_percent("75", {5, 25, 50, 75, 90}))
      .axis(left_open(
          {.name = "client-warps",
           .help = "sending warps, each with 32 transfers at a time; auto: one per client block",
           .max = 4096,
           .candidates = {64, 128, 256, 512}}))
      .axis(gpus())
      .axis(running_engine::axis());
  const bench::source_of_inputs inputs = bench::always(
      {{"generator", "counter-based random transfers, inputs/random.cuh and inputs/zipf.cuh"},
       {"seed", 2019}});
  const std::vector<std::string> tunable{"tbs-per-sm", "threads-per-block", "account-layout"};
  add<run_config>(program, all_nested(), run_config_of, tunable, inputs);
  add<run_config>(program, all_gpus_nested(), run_config_of, tunable, inputs, running.guard());
  return program.run(words, command_line);
}

}  // namespace

int main(int argc, char** argv) {
  return main_with_engine("atm", run, argc, argv);
}
