// atm: bank transfers, each between two accounts and so under two locks; see run_config.hpp.
#include <bench/machine_interface.hpp>
#include <workloads/atm/gpus_nested.hpp>
#include <workloads/atm/nested.hpp>
#include <workloads/common/engine/running_engine.hpp>
#include <workloads/common/engines.hpp>
#include <workloads/common/member_axes.hpp>

#include <string>
#include <vector>

namespace {

using namespace finesync::atm;
using namespace finesync::workload;
namespace bench = finesync::bench;

// Values are hundredths of the exponent.
bench::axis skew() {
  constexpr int largest = 300;
  std::vector<std::string> names = {"uniform"};
  for (int hundredths = 1; hundredths <= largest; ++hundredths)
    names.push_back("zipf-" + std::to_string(hundredths));
  bench::axis exponent = named_axis(
      "skew", "distribution of the accounts: the exponent of Zipf's law; 0: uniform", names);
  exponent.decimals = 2;
  return exponent;
}

int run(int argc, char** argv) {
  const std::vector<std::string> command_line(argv, argv + argc);
  std::vector<std::string> words = command_line;
  const running_engine running(words);
  bench::program program(
      "atm",
      "Bank transfers (ATM of ASPLOS'19, section 4.1): each moves an amount from one account to\n"
      "another if the first holds enough, and reports to its client whether it did.",
      running.machine(bench::real_machine()));
  const member_axes<run_config> axes{
      {collision_factor("accounts", "accounts", 2), &run_config::problem, &problem::accounts},
      {number("transfers", "transfers per run, all threads together",
              bench::runs_on_gpu() ? 1 << 16 : 1 << 10, {1, 1ll << 30}),
       &run_config::problem, &problem::transfers},
      {skew(), [](run_config& config,
                  long long value) { config.problem.skew = static_cast<double>(value) / 100; }},
      {threads_per_block_or_auto("threads per block; auto: 64; 1024 for conflict_free* and "
                                 "server_nested*; 512 for server_single",
                                 {8, 32, 64, 256, 512}),
       &run_config::threads_per_block, 64},
      {tbs_per_sm_or_auto(
           "thread blocks per SM; auto: 1 for servers and conflict_free*, else as many as fit",
           {1, 2, 4, 8, 16, 32}),
       &run_config::blocks_per_sm, 0},
      {sms(), &run_config::sms},
      {layout("account-layout",
              "layout of accounts and their locks: packed in cache lines, or one line each"),
       &run_config::padded_accounts},
      {section_work(1024), &run_config::section_work},
      {named_axis("section",
                  "critical section: transfer, or empty (no memory access, only section-work)",
                  {"transfer", "empty"}),
       &run_config::empty_sections},
      {number_or_auto("batch-size", "transfers per batch; auto: 4M", 1 << 24, "transfers",
                      {1 << 20, 1 << 22, 1 << 24}),
       &run_config::batch, 1 << 22},
      {number_or_auto("account-groups",
                      "number of groups of accounts, even; auto: 64, or as many as fit", 256, "",
                      {32, 64, 128}),
       &run_config::groups},
      {servers_percent("75", {5, 25, 50, 75, 90}), &run_config::servers_percent},
      {number_or_auto("client-warps",
                      "sending warps, each with 32 transfers at a time; auto: one per client block",
                      4096, "", {64, 128, 256, 512}),
       &run_config::client_warps},
      {gpus(), &run_config::gpus},
      {running_engine::axis(), &run_config::engine}};
  declare(program, axes);
  const bench::source_of_inputs inputs = bench::always(
      {{"generator", "counter-based random transfers, inputs/random.cuh and inputs/zipf.cuh"},
       {"seed", 2019}});
  const std::vector<std::string> tunable{"tbs-per-sm", "threads-per-block", "account-layout"};
  const auto filled = filled_by(axes);
  add<run_config>(program, all_nested(), filled, tunable, inputs);
  add<run_config>(program, all_gpus_nested(), filled, tunable, inputs, running.guard());
  return program.run(words, command_line);
}

}  // namespace

int main(int argc, char** argv) {
  return main_with_engine("atm", run, argc, argv);
}
