// Transfers offloaded to servers; each server owns some of the accounts (ASPLOS'19, section 3.3).
// The same over any pool of servers for sections over two data.
#pragma once

#include <finesync/host/gpu.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/transfer_experiment.cuh>
#include <workloads/atm/transfer_section.cuh>
#include <workloads/common/grid.cuh>
#include <workloads/common/observers/lock_handoff_observer.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace finesync::atm {

/// \tparam Account the word that holds an account. \tparam Section of a transfer, or an empty one.
template <class Account, class Section>
struct transfer_service {
  using argument = numbered_amount;
  using datum = Account;

  accounts_ref<Account> accounts;
  orders_ref orders;
  std::uint32_t section_work;
  Section section;

  __device__ cell<Account>& home(std::uint32_t account) const { return accounts[account]; }

  __device__ void operator()(Account& from, Account& to, const numbered_amount& what) {
    if constexpr (std::is_same_v<Section, empty_sections>) {
      section(from, to, what);
    } else {
      orders.tell(what.number, section(from, to, what));
      workload::spend_arithmetic(section_work);
    }
  }
  __device__ void finish() const { section.finish(); }
};

using timed_service = transfer_service<std::uint32_t, timed_section>;
using recorded_service = transfer_service<account_with_turns, recorded_section>;
using empty_service = transfer_service<std::uint32_t, empty_sections>;

struct transfer_client {
  orders_ref orders;

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    for (std::uint32_t i = thread; i < orders.transfers; i += threads) {
      const transfer t = orders[i];
      if (!out.send(t.from, t.to, {t.amount, i})) return false;
    }
    return true;
  }
};

/// Servers and accounts of timed runs, of recorded runs, or of runs with empty sections.
/// \tparam Servers names the pool and its configuration (below).
template <class Servers, class Service, class Account = plain_account>
struct side {
  using datum = typename Service::datum;

  typename Servers::template pool<Service> servers;
  accounts<datum, Account> balances;

  side(const typename Servers::config& config, std::uint32_t number)
      : servers(config), balances(number, false) {}

  void open(const launch_shape& shape, const datum& opening) {
    balances.open(shape, opening);
    servers.reset();
  }
  template <class Section, class Observer = no_observer>
  void start(const Section& section, const orders_ref& orders, std::uint32_t section_work,
             const watchdog_ref& timeout, const Observer& observer = {}) {
    servers.launch(Service{balances.ref(), orders, section_work, section}, transfer_client{orders},
                   timeout, observer);
  }
  template <class Observer = no_observer>
  static unsigned resident(const typename Servers::config& config) {
    return Servers::template resident<Service, transfer_client, Observer>(config);
  }
};

/// \tparam Servers the kind of servers:
///|  config, pool<Service>        of a grid, with members `servers` and `clients`; its pool
///|  min_servers, min_warps       the fewest servers, and warps of a block
///|  config_of(servers, clients, options)
///|  resident<Service, Client, Observer>(config)
///|                               number of such blocks that the GPU holds
///|  with_parameters_of(config, parameters)
///|                               what a row says of a config, too
template <class Servers>
class server_nested_experiment final : public transfer_experiment {
  using timed_side = side<Servers, timed_service>;
  using recorded_side = side<Servers, recorded_service, account_with_turns>;
  using empty_side = side<Servers, empty_service>;

 public:
  explicit server_nested_experiment(const run_config& options)
      : transfer_experiment(in_warps(options), resident(options)),
        config_(config_of(options, shape().blocks)),
        timed_(config_, options.problem.accounts),
        recorded_(config_, options.problem.accounts),
        empty_(config_, options.problem.accounts) {}

  bench::parameters effective_parameters() const override {
    return Servers::with_parameters_of(config_, transfer_experiment::effective_parameters());
  }

  bench::counters measure() override {
    const bool timed =
        !sections_are_empty() &&
        timed_side::template resident<workload::server_handoff_observer>(config_) >= shape().blocks;
    if (!timed && !counts_messages) return {};
    reset();
    const workload::handoff_record<workload::server_handoff_observer> record(what().accounts);
    if (timed) {
      timed_.start(timed_section{}, orders(), section_work(), timeout(), record.watch());
      rings_are_empty_ = false;
    } else {
      launch();
    }
    bench::expect_ok(sections_are_empty() ? verify_empty() : verify_transfers());
    bench::counters seen = timed ? record.describe(what().transfers) : bench::counters{};
    if constexpr (counts_messages) {
      const auto sent = sections_are_empty() ? empty_.servers.sent() : timed_.servers.sent();
      seen["locks_lent_per_operation"] = static_cast<double>(sent.replies) / what().transfers;
    }
    return seen;
  }

 protected:
  void open_accounts() override {
    timed_.open(shape(), opening_balance);
    recorded_.open(shape(), {opening_balance, 0});
    empty_.open(shape(), 0);
    recorded_last_ = false;
    rings_are_empty_ = true;
  }
  void start(const orders_ref& orders) override {
    if (!rings_are_empty_) timed_.servers.reset();  // the same transfers again
    rings_are_empty_ = false;
    timed_.start(timed_section{}, orders, section_work(), timeout());
  }
  void start_empty(const orders_ref& orders, const empty_sections& sections) override {
    empty_.start(sections, orders, 0, timeout());
  }
  bool start_recorded(const orders_ref& orders, const history_recorder& record) override {
    recorded_.start(recorded_section{record}, orders, 0, timeout());
    recorded_last_ = true;
    return true;
  }
  void collect(cell<std::uint32_t>* balances) override {
    if (recorded_last_)
      recorded_.balances.read(shape(), what().accounts, balances);
    else
      timed_.balances.read(shape(), what().accounts, balances);
  }

 private:
  static constexpr bool counts_messages = requires(const timed_side& one) { one.servers.sent(); };

  /// Blocks of whole warps.
  static run_config in_warps(run_config options) {
    const auto most = static_cast<unsigned>(std::min(1024, current_gpu().max_threads_per_sm));
    options.threads_per_block =
        std::clamp((options.threads_per_block + 31) / 32 * 32, 32 * Servers::min_warps, most);
    return options;
  }

  /// \param blocks of the grid: servers, and clients in the rest.
  static typename Servers::config config_of(const run_config& options, unsigned blocks) {
    const unsigned servers =
        std::clamp((blocks * options.servers_percent + 50) / 100, Servers::min_servers,
                   std::max(Servers::min_servers, blocks - 1));
    return Servers::config_of(servers, std::max(1u, blocks - std::min(blocks, servers)),
                              in_warps(options));
  }

  static unsigned resident(const run_config& options) {
    const auto config =
        config_of(options, std::max(1u, options.blocks_per_sm) * workload::sms_of_grid(options));
    return std::min({timed_side::resident(config), recorded_side::resident(config),
                     empty_side::resident(config)});
  }

  typename Servers::config config_;
  timed_side timed_;
  recorded_side recorded_;
  empty_side empty_;
  bool recorded_last_ = false;
  bool rings_are_empty_ = false;
};

}  // namespace finesync::atm
