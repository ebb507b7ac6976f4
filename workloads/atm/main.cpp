// atm: bank transfers, with two accounts and so two locks each; see run_config.hpp.
#include <workloads/atm/aliases.hpp>
#include <workloads/atm/nested.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>

namespace finesync::atm {

namespace {

run_config run_config_of(const bench::point& point,
                         const workload::catalogue_entry<run_config>& primitive) {
  const auto value = [&](const char* axis) { return static_cast<std::uint32_t>(point[axis]); };
  return {.problem = {.accounts = value("collision-factor"),
                      .transfers = value("transfers"),
                      .picks = static_cast<skew>(point["skew"])},
          .threads_per_block = value_or_default(point, primitive, "threads-per-block", 64),
          .blocks_per_sm = value_or_default(point, primitive, "tbs-per-sm"),
          .padded_accounts = point.value_or("account-layout", 0) != 0,
          .section_work = static_cast<std::uint32_t>(point.value_or("section-work", 0)),
          .empty_sections = point.value_or("section", 0) != 0,
          .batch = value_or_default(point, primitive, "batch-size", 1 << 22),
          .groups = value_or_default(point, primitive, "account-groups", 64),
          .servers_percent = value_or_default(point, primitive, "servers-percent"),
          .client_warps = value_or_default(point, primitive, "client-warps")};
}

}  // namespace

}  // namespace finesync::atm

int main(int argc, char** argv) {
  using namespace finesync::workload;
  using namespace finesync::atm;
  namespace bench = finesync::bench;
  using bench::named_axis;
  bench::program program(
      "atm",
      "Bank transfers (ATM of ASPLOS'19, section 4.1): each moves an amount from one account to\n"
      "another, if the first has enough, and replies whether it did.");
  bench::axis layout = named_axis(
      "account-layout", "accounts and their locks packed in lines, or each on its own line",
      {"packed", "padded"});
  layout.candidates = {0, 1};
  program
      .axis({.name = "collision-factor",
             .help = "accounts; fewer means more contention",
             .values = {256, 1024, 32768, 131072},
             .min = 2,
             .max = 4 << 20,
             .unit = "accounts"})
      .axis({.name = "transfers",
             .help = "transfers per run, by all threads together",
             .values = {1 << 16},
             .min = 1,
             .max = 1ll << 30})
      .axis(named_axis(
          "skew", "how accounts are picked: uniformly, or by Zipf's law, exponent 0.80 or 0.99",
          {"uniform", "zipf-80", "zipf-99"}))
      .axis(left_open(
          {.name = "threads-per-block",
           .help = "threads per block; auto: 64; for conflict-free rounds 1024 (in their sort)",
           .max = 1024,
           .candidates = {8, 32, 64, 256, 512}}))
      .axis(left_open(
          {.name = "tbs-per-sm",
           .help = "thread blocks per SM; auto: as many as fit; for conflict-free rounds 1",
           .max = 32,
           .candidates = {1, 2, 4, 8, 16, 32}}))
      .axis(layout)
      .axis({.name = "section-work",
             .help = "arithmetic added to the critical section (figure 9)",
             .values = {0},
             .min = 0,
             .max = 1024,
             .unit = "1,000 cycles"})
      .axis(named_axis("section", "make the transfer, or no memory access, only section-work",
                       {"transfer", "empty"}))
      .axis(left_open({.name = "batch-size",
                       .help = "transfers per batch of conflict-free rounds; auto: 4M",
                       .max = 1 << 24,
                       .unit = "transfers",
                       .candidates = {1 << 20, 1 << 22, 1 << 24}}))
      .axis(
          left_open({.name = "account-groups",
                     .help = "groups of accounts in conflict-free rounds, an even number; auto: 64",
                     .max = 256,
                     .candidates = {32, 64, 128}}))
      .axis(left_open({.name = "servers-percent",
                       .help = "share of the blocks that are servers; auto: 75",
                       .max = 99,
                       .unit = "%",
                       .candidates = {5, 25, 50, 75, 90}}))
      .axis(left_open(
          {.name = "client-warps",
           .help = "client warps of a single server, 32 transfers each at a time; auto: one "
                   "per client block",
           .max = 4096,
           .candidates = {64, 128, 256, 512}}));
  const bench::parameters inputs = {
      {"generator", "counter-based random transfers, inputs/random.cuh and inputs/zipf.cuh"},
      {"seed", 2019}};
  program.aliases(former_names);
  add<run_config>(program, all_nested(), run_config_of,
                  {"tbs-per-sm", "threads-per-block", "account-layout"}, inputs);
  return program.run(argc, argv);
}
