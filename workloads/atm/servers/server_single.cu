// Transfers that one block makes for all others, with all accounts in its shared memory. Each
// client waits for its replies.
#include <finesync/server/single/single_server.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/transfer_experiment.cuh>
#include <workloads/atm/transfer_section.cuh>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace finesync::atm {

namespace {

/// A transfer as a call: 16 bits for each account, the lower first, 8 for the amount that the lower
/// one gains (may be negative), and the transfer's number.
struct call_of_transfer {
  static constexpr unsigned account_bits = 16;
  static constexpr unsigned amount_bits = 8;

  __device__ static std::uint64_t packed(const transfer& t, std::uint32_t number) {
    const bool gains = t.to < t.from;
    const std::uint32_t amount = gains ? t.amount : 0 - t.amount;
    return std::uint64_t{gains ? t.to : t.from} |
           std::uint64_t{gains ? t.from : t.to} << account_bits |
           std::uint64_t{amount & 0xff} << 2 * account_bits |
           std::uint64_t{number} << (2 * account_bits + amount_bits);
  }
  __device__ static std::uint32_t lower_of(std::uint64_t call) {
    return static_cast<std::uint16_t>(call);
  }
  __device__ static std::uint32_t higher_of(std::uint64_t call) {
    return static_cast<std::uint16_t>(call >> account_bits);
  }
  __device__ static std::int32_t amount_of(std::uint64_t call) {
    return static_cast<std::int8_t>(call >> 2 * account_bits);
  }
  __device__ static std::uint32_t number_of(std::uint64_t call) {
    return static_cast<std::uint32_t>(call >> (2 * account_bits + amount_bits));
  }
};
constexpr std::uint32_t max_accounts = 1u << call_of_transfer::account_bits;
static_assert(max_moved < 1u << (call_of_transfer::amount_bits - 1));

/// \tparam Account, Recorder of a two_way_transfer.
template <class Account, class Recorder>
struct transfer_handler {
  using datum = std::uint32_t;
  using section = two_way_transfer<Account, Recorder>;
  static constexpr datum empty = section::empty;
  struct call {
    std::uint32_t lower;
    std::uint32_t higher;
    std::int32_t amount;
    std::uint32_t number;
  };

  section both;

  __device__ call unpacked(std::uint64_t packed) const {
    return {call_of_transfer::lower_of(packed), call_of_transfer::higher_of(packed),
            call_of_transfer::amount_of(packed), call_of_transfer::number_of(packed)};
  }
  /// The higher account pays what the lower one gains.
  __device__ transfer_result operator()(std::uint32_t& lower, std::uint32_t& higher,
                                        const call& asked) const {
    return both(higher, lower, asked.amount, asked.number);
  }
};
using timed_handler = transfer_handler<plain_account, no_history>;
using counted_word = counted_account<std::uint32_t>;
using recorded_handler = transfer_handler<counted_word, history_recorder>;

using pair_of_accounts = full_empty_pair<timed_handler::datum, timed_handler::empty, scope::block>;

/// A client warp: 32 transfers at a time.
template <class ReplyTimer>
struct customers {
  orders_ref orders;
  ReplyTimer watch;

  __device__ bool operator()(line_client& bank, unsigned warp, unsigned warps) const {
    std::uint64_t next = call_at(32 * warp + lane_id());
    ReplyTimer own = watch;
    for (std::uint32_t first = 32 * warp; first < orders.transfers; first += 32 * warps) {
      const std::uint32_t i = first + lane_id();
      own.start();
      bank.post(next);
      next = call_at(i + 32 * warps);
      if (!bank.wait()) return false;
      if (lane_id() == 0) own.stop(warp);
      if (i < orders.transfers) orders.tell(i, static_cast<transfer_result>(bank.reply()));
    }
    return true;
  }

 private:
  __device__ std::uint64_t call_at(std::uint32_t i) const {
    return i < orders.transfers ? call_of_transfer::packed(orders[i], i % number_limit) : 0;
  }
  static constexpr std::uint32_t number_limit = 1u << 22;  // only recorded runs use it
};

class server_single_experiment final : public transfer_experiment {
 public:
  explicit server_single_experiment(const run_config& options)
      : transfer_experiment(in_warps(options), resident(options)),
        timed_(config_of(options, shape().blocks)),
        recorded_(timed_.config()),
        balances_(options.problem.accounts, false) {}

  bench::parameters effective_parameters() const override {
    bench::parameters effective = transfer_experiment::effective_parameters();
    const single_server_config& config = timed_.config();
    workload::add_parameter(effective, "server_blocks", 1);
    workload::add_parameter(effective, "server_warps", config.server_warps);
    workload::add_parameter(effective, "client_warps", config.lines());
    return effective;
  }

  bench::counters measure() override { return measure_replies(timed_.config().lines(), 32); }

 protected:
  void open_accounts() override {
    balances_.open(shape(), opening_balance);
    timed_.reset();
    recorded_.reset();
    lines_are_new_ = true;
    recorded_last_ = false;
  }
  void start(const orders_ref& orders) override { start_timed(orders, no_reply_timer{}); }
  void start_reply_timed(const orders_ref& orders, const reply_timer& watch) override {
    start_timed(orders, watch);
  }
  bool start_recorded(const orders_ref& orders, const history_recorder& record) override {
    start_with(recorded_, recorded_handler{{record}}, orders, no_reply_timer{});
    recorded_last_ = true;
    return true;
  }
  std::uint32_t max_recorded() const override { return counted_word::max_transfers; }
  void collect(cell<std::uint32_t>* balances) override {
    if (recorded_last_)
      balances_.read<counted_word>(shape(), what().accounts, balances);
    else
      balances_.read(shape(), what().accounts, balances);
  }

 private:
  template <class ReplyTimer>
  void start_timed(const orders_ref& orders, const ReplyTimer& watch) {
    if (!lines_are_new_) timed_.reset();  // the same transfers again
    lines_are_new_ = false;
    start_with(timed_, timed_handler{}, orders, watch);
  }
  template <class Handler, class ReplyTimer>
  void start_with(single_server<Handler>& server, const Handler& service, const orders_ref& orders,
                  const ReplyTimer& watch) {
    server.launch(service, balances_.ref().first, customers<ReplyTimer>{orders, watch}, timeout());
  }

  /// Blocks of whole warps.
  static run_config in_warps(run_config options) {
    options.threads_per_block = (options.threads_per_block + 31) / 32 * 32;
    return options;
  }
  static single_server_config config_of(const run_config& options, unsigned blocks) {
    if (options.problem.accounts > max_accounts)
      throw bench::infeasible("accounts of " + std::to_string(call_of_transfer::account_bits) +
                              " bits: at most " + std::to_string(max_accounts));
    single_server_config config;
    config.data = options.problem.accounts;
    config.server_warps = in_warps(options).threads_per_block / 32;
    const unsigned others = std::max(2u, blocks) - 1;
    const unsigned warps = options.client_warps == 0 ? others : options.client_warps;
    config.client_warps = (warps + others - 1) / others;
    config.client_blocks = (warps + config.client_warps - 1) / config.client_warps;
    return config;
  }
  static unsigned resident(const run_config& options) {
    const single_server_config config = config_of(options, 2);
    const auto resident_with = [&]<class Handler, class ReplyTimer>(Handler, ReplyTimer) {
      return max_resident_blocks(
          single_server_grid<pair_of_accounts, Handler, customers<ReplyTimer>>,
          config.threads_per_block(), single_server<Handler>::shared_bytes(config));
    };
    return std::min({resident_with(timed_handler{}, no_reply_timer{}),
                     resident_with(timed_handler{}, reply_timer{}),
                     resident_with(recorded_handler{}, no_reply_timer{})});
  }

  single_server<timed_handler> timed_;
  single_server<recorded_handler> recorded_;
  accounts<std::uint32_t> balances_;
  bool recorded_last_ = false;
  bool lines_are_new_ = false;
};

}  // namespace

std::unique_ptr<bench::experiment> make_server_single(const run_config& options) {
  try {
    return std::make_unique<server_single_experiment>(options);
  } catch (const std::invalid_argument& limit) {  // the axes allow more than a server can do
    throw bench::infeasible(limit.what());
  }
}

}  // namespace finesync::atm
