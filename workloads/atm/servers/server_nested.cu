// Transfers offloaded to servers, each of which has some of the accounts (ASPLOS'19, section 3.3).
#include <finesync/host/gpu.cuh>
#include <finesync/server/lending/nested_server_pool.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/locks/lock_handoff_observer.cuh>
#include <workloads/atm/transfer_experiment.cuh>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace finesync::atm {

namespace {

/// What a transfer's section must know beside its accounts.
struct offloaded_transfer {
  std::uint32_t amount;
  std::uint32_t number;
};

template <class Account, class Recorder>
struct transfer_service {
  using argument = offloaded_transfer;
  using datum = Account;

  accounts_ref<Account> accounts;
  orders_ref orders;
  std::uint32_t section_work;
  Recorder record;

  __device__ cell<Account>& home(std::uint32_t account) const { return accounts[account]; }

  __device__ void operator()(Account& from, Account& to, const offloaded_transfer& what) {
    if constexpr (sizeof(Account) == sizeof(std::uint32_t)) {
      orders.tell(what.number, move(what.amount, from, to));
    } else {
      orders.tell(what.number, move(what.amount, from.balance, to.balance));
      record.note(what.number, from.transfers++, to.transfers++);
    }
    workload::spend_arithmetic(section_work);
  }
};

/// The same under locks that see how they change hands.
struct observed_service : transfer_service<std::uint32_t, no_history> {
  handoff_totals_ref totals;

  __device__ void closed(const observed_block_lock::state& seen) const {
    totals.add(seen.transfers, seen.ns);
  }
};

/// The same with empty sections.
struct idle_service {
  using argument = offloaded_transfer;
  using datum = std::uint32_t;

  accounts_ref<datum> accounts;
  empty_sections sections;

  __device__ cell<datum>& home(std::uint32_t account) const { return accounts[account]; }
  __device__ void operator()(datum&, datum&, const offloaded_transfer&) { sections.run(); }
  __device__ void finish() const { sections.finish(); }
};

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

/// Servers and accounts of timed runs, of recorded ones, or of those with empty sections.
template <data_placement Placement, class Service, class Lock = tas_lock<scope::block>>
struct side {
  using datum = typename Service::datum;
  using pool = nested_server_pool<Service, nested_protocol<datum, Placement, Lock>>;

  pool servers;
  accounts<datum> balances;

  side(const nested_config& config, std::uint32_t number)
      : servers(config), balances(number, false) {}

  void open(const launch_shape& shape, const datum& opening) {
    balances.open(shape, opening);
    servers.reset();
  }
  void start(const Service& service, const orders_ref& orders, const watchdog_ref& timeout) {
    servers.launch(service, transfer_client{orders}, timeout);
  }
  static unsigned resident(const nested_config& config) {
    return max_resident_blocks(nested_server_grid<typename pool::ref, Service, transfer_client>,
                               config.threads_per_block(), pool::shared_bytes(config));
  }
};

template <data_placement Placement>
class server_nested_experiment final : public transfer_experiment {
  using timed_service = transfer_service<std::uint32_t, no_history>;
  using recorded_service = transfer_service<account_with_turns, history_recorder>;
  using timed_side = side<Placement, timed_service>;
  using recorded_side = side<Placement, recorded_service>;
  using empty_side = side<Placement, idle_service>;
  using observed_side = side<Placement, observed_service, observed_block_lock>;

 public:
  explicit server_nested_experiment(const run_config& options)
      : transfer_experiment(in_warps(options), resident(options)),
        config_(config_of(options, shape().blocks)),
        timed_(config_, options.problem.accounts),
        recorded_(config_, options.problem.accounts),
        empty_(config_, options.problem.accounts) {}

  bench::parameters effective_parameters() const override {
    bench::parameters effective = transfer_experiment::effective_parameters();
    workload::add_parameter(effective, "server_blocks", config_.servers);
    workload::add_parameter(effective, "client_blocks", config_.clients);
    workload::add_parameter(effective, "offload_warps", config_.offload_warps);
    workload::add_parameter(effective, "request_warps", config_.request_warps);
    workload::add_parameter(effective, "ring_requests", config_.ring);
    return effective;
  }

  bench::counters measure() override {
    if (sections_are_empty() || observed_side::resident(config_) < shape().blocks) return {};
    const handoff_record record(1);
    observed_side observed(config_, what().accounts);
    observed.open(shape(), opening_balance);
    observed.start({{observed.balances.ref(), orders(), section_work(), {}}, record.totals()},
                   orders(), timeout());
    stream().synchronize();
    return record.describe(what().transfers);
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
    if (!rings_are_empty_) timed_.servers.reset();  // the same transfers once more
    rings_are_empty_ = false;
    timed_.start({timed_.balances.ref(), orders, section_work(), {}}, orders, timeout());
  }
  void start_empty(const orders_ref& orders, const empty_sections& sections) override {
    empty_.start({empty_.balances.ref(), sections}, orders, timeout());
  }
  bool start_recorded(const orders_ref& orders, const history_recorder& record) override {
    recorded_.start({recorded_.balances.ref(), orders, 0, record}, orders, timeout());
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
  /// Blocks of whole warps, two at least.
  static run_config in_warps(run_config options) {
    const auto most = static_cast<unsigned>(std::min(1024, current_gpu().max_threads_per_sm));
    options.threads_per_block = std::clamp((options.threads_per_block + 31) / 32 * 32, 64u, most);
    return options;
  }

  static nested_config config_of(const run_config& options, unsigned blocks) {
    const unsigned warps = in_warps(options).threads_per_block / 32;
    nested_config config;
    config.servers = std::max(1u, (blocks * options.servers_percent + 50) / 100);
    config.clients = std::max(1u, blocks - std::min(blocks, config.servers));
    config.keys = options.problem.accounts;
    config.offload_warps = warps / 2;
    config.request_warps = warps - warps / 2;
    return config;
  }

  static unsigned resident(const run_config& options) {
    const unsigned sms = static_cast<unsigned>(current_gpu().sms);
    const nested_config config = config_of(options, std::max(1u, options.blocks_per_sm) * sms);
    return std::min({timed_side::resident(config), recorded_side::resident(config),
                     empty_side::resident(config)});
  }

  nested_config config_;
  timed_side timed_;
  recorded_side recorded_;
  empty_side empty_;
  bool recorded_last_ = false;
  bool rings_are_empty_ = false;
};

template <data_placement Placement>
std::unique_ptr<bench::experiment> make(const run_config& options) {
  return std::make_unique<server_nested_experiment<Placement>>(options);
}

}  // namespace

std::unique_ptr<bench::experiment> make_server_nested(const run_config& options) {
  return make<data_placement::messages>(options);
}
std::unique_ptr<bench::experiment> make_server_nested_in_memory(const run_config& options) {
  return make<data_placement::global_memory>(options);
}

}  // namespace finesync::atm
