// Transfers offloaded to servers; each server owns some of the accounts (ASPLOS'19, section 3.3).
#include <finesync/host/gpu.cuh>
#include <finesync/server/lending/nested_server_pool.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/locks/lock_handoff_observer.cuh>
#include <workloads/atm/transfer_experiment.cuh>
#include <workloads/atm/transfer_section.cuh>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace finesync::atm {

namespace {

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
template <data_placement Placement, class Service, class Account = plain_account>
struct side {
  using datum = typename Service::datum;
  using pool = nested_server_pool<Service, nested_protocol<datum, Placement>>;

  pool servers;
  accounts<datum, Account> balances;

  side(const nested_config& config, std::uint32_t number)
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
  static unsigned resident(const nested_config& config) {
    return max_resident_blocks(
        nested_server_grid<typename pool::ref, Service, transfer_client, Observer>,
        config.threads_per_block(), pool::shared_bytes(config));
  }
};

template <data_placement Placement>
class server_nested_experiment final : public transfer_experiment {
  using timed_side = side<Placement, timed_service>;
  using recorded_side = side<Placement, recorded_service, account_with_turns>;
  using empty_side = side<Placement, empty_service>;

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
    if (sections_are_empty() ||
        timed_side::template resident<server_handoff_observer>(config_) < shape().blocks)
      return {};
    reset();
    const handoff_record<server_handoff_observer> record(what().accounts);
    timed_.start(timed_section{}, orders(), section_work(), timeout(), record.watch());
    rings_are_empty_ = false;
    bench::expect_ok(verify_transfers());
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
  /// Blocks of whole warps, at least two.
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
