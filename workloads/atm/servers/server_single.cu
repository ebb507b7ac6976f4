// Transfers that one block makes for all others, with all accounts in its shared memory; each
// client waits for its answers.
#include <finesync/server/single/single_server.cuh>
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/transfer_experiment.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace finesync::atm {

namespace {

/// A transfer in a call: 16 bits for each account, the lower first, 8 for what the lower one gains,
/// which may be negative, and its number.
struct call_of_transfer {
  static constexpr unsigned account_bits = 16;
  static constexpr unsigned gain_bits = 8;

  __device__ static std::uint64_t packed(const transfer& t, std::uint32_t number) {
    const bool gains = t.to < t.from;
    const std::uint32_t gain = gains ? t.amount : 0 - t.amount;
    return std::uint64_t{gains ? t.to : t.from} |
           std::uint64_t{gains ? t.from : t.to} << account_bits |
           std::uint64_t{gain & 0xff} << 2 * account_bits |
           std::uint64_t{number} << (2 * account_bits + gain_bits);
  }
  __device__ static std::uint32_t lower_of(std::uint64_t call) {
    return static_cast<std::uint16_t>(call);
  }
  __device__ static std::uint32_t higher_of(std::uint64_t call) {
    return static_cast<std::uint16_t>(call >> account_bits);
  }
  __device__ static std::int32_t gain_of(std::uint64_t call) {
    return static_cast<std::int8_t>(call >> 2 * account_bits);
  }
  __device__ static std::uint32_t number_of(std::uint64_t call) {
    return static_cast<std::uint32_t>(call >> (2 * account_bits + gain_bits));
  }
};
constexpr std::uint32_t most_accounts = 1u << call_of_transfer::account_bits;
static_assert(most_moved < 1u << (call_of_transfer::gain_bits - 1));

struct teller {
  using datum = std::uint32_t;
  static constexpr datum busy = ~0u;
  struct request {
    std::uint32_t lower;
    std::uint32_t higher;
    std::uint32_t gain;
    std::uint32_t number;
  };

  __device__ request unpacked(std::uint64_t call) const {
    return {call_of_transfer::lower_of(call), call_of_transfer::higher_of(call),
            static_cast<std::uint32_t>(call_of_transfer::gain_of(call)),
            call_of_transfer::number_of(call)};
  }
  /// Both accounts are held meanwhile, so it asks of both whether they would be overdrawn, at once,
  /// before it knows which of them gives.
  __device__ std::uint32_t operator()(std::uint32_t& lower, std::uint32_t& higher,
                                      const request& asked) {
    const std::uint32_t lower_then = lower + asked.gain;
    const std::uint32_t higher_then = higher - asked.gain;
    const bool executed = static_cast<std::int32_t>(lower_then | higher_then) >= 0;
    lower = executed ? lower_then : lower;
    higher = executed ? higher_then : higher;
    return static_cast<std::uint32_t>(executed ? answer::executed : answer::rejected);
  }
};

/// The same in a recorded run: above the balance, the transfers that the account has had.
struct recorded_teller : teller {
  static constexpr unsigned balance_bits = 20;
  static constexpr std::uint32_t most_transfers = (1u << (32 - balance_bits)) - 1;
  static_assert(opening_balance + most_transfers * most_moved < 1u << balance_bits);
  recorder record;

  __device__ std::uint32_t operator()(std::uint32_t& lower, std::uint32_t& higher,
                                      const request& asked) {
    constexpr std::uint32_t turn = 1u << balance_bits;
    std::uint32_t balance = lower % turn;
    std::uint32_t other_balance = higher % turn;
    const std::uint32_t result = teller::operator()(balance, other_balance, asked);
    const bool gains = static_cast<std::int32_t>(asked.gain) > 0;
    record.note(asked.number, (gains ? higher : lower) / turn, (gains ? lower : higher) / turn);
    lower = balance + lower / turn * turn + turn;
    higher = other_balance + higher / turn * turn + turn;
    return result;
  }
};

using pair_of_accounts = word_pair<teller::datum, teller::busy, scope::block>;

/// A warp makes 32 transfers at a time.
template <class Stopwatch>
struct customers {
  orders_ref orders;
  Stopwatch watch;

  __device__ bool operator()(caller& bank, unsigned warp, unsigned warps) const {
    std::uint64_t next = call_at(32 * warp + lane_id());
    Stopwatch own = watch;
    for (std::uint32_t first = 32 * warp; first < orders.transfers; first += 32 * warps) {
      const std::uint32_t i = first + lane_id();
      own.start();
      bank.post(next);
      next = call_at(i + 32 * warps);
      if (!bank.wait()) return false;
      if (lane_id() == 0) own.stop(warp);
      if (i < orders.transfers) orders.tell(i, static_cast<answer>(bank.answer()));
    }
    return true;
  }

 private:
  __device__ std::uint64_t call_at(std::uint32_t i) const {
    return i < orders.transfers ? call_of_transfer::packed(orders[i], i % number_limit) : 0;
  }
  static constexpr std::uint32_t number_limit = 1u << 22;  // only recorded runs look at it
};

/// Leaves the balances of a recorded run.
__global__ void drop_turns(accounts_ref<std::uint32_t> accounts) {
  for (std::uint32_t a = blockIdx.x * blockDim.x + threadIdx.x; a < accounts.number;
       a += gridDim.x * blockDim.x)
    accounts[a] = accounts[a] % (1u << recorded_teller::balance_bits);
}

class one_server_experiment final : public transfer_experiment {
 public:
  explicit one_server_experiment(const setup& how)
      : transfer_experiment(in_warps(how), resident(how)),
        timed_(config_of(how, shape().blocks)),
        recorded_(timed_.config()),
        balances_(how.what.accounts, false) {}

  bench::facts ran() const override {
    bench::facts ran = transfer_experiment::ran();
    const delegate_config& config = timed_.config();
    workload::add_fact(ran, "server_blocks", 1);
    workload::add_fact(ran, "server_warps", config.server_warps);
    workload::add_fact(ran, "client_warps", config.lines());
    return ran;
  }

  bench::counters measure() override { return measure_answers(timed_.config().lines(), 32); }

 protected:
  void open_accounts() override {
    balances_.open(shape(), opening_balance);
    timed_.reset();
    recorded_.reset();
    lines_are_new_ = true;
    recorded_last_ = false;
  }
  void start(const orders_ref& orders) override { start_timed(orders, no_stopwatch{}); }
  void start_watched(const orders_ref& orders, const stopwatch& watch) override {
    start_timed(orders, watch);
  }
  bool start_recorded(const orders_ref& orders, const recorder& record) override {
    start_with(recorded_, recorded_teller{{}, record}, orders, no_stopwatch{});
    recorded_last_ = true;
    return true;
  }
  std::uint32_t most_recorded() const override { return recorded_teller::most_transfers; }
  void collect(cell<std::uint32_t>* balances) override {
    if (recorded_last_) launch_independent(drop_turns, shape(), balances_.ref());
    balances_.read(shape(), what().accounts, balances);
  }

 private:
  template <class Stopwatch>
  void start_timed(const orders_ref& orders, const Stopwatch& watch) {
    if (!lines_are_new_) timed_.reset();  // the same transfers once more
    lines_are_new_ = false;
    start_with(timed_, teller{}, orders, watch);
  }
  template <class Teller, class Stopwatch>
  void start_with(delegate_server<Teller>& server, const Teller& service, const orders_ref& orders,
                  const Stopwatch& watch) {
    server.launch(service, balances_.ref().first, customers<Stopwatch>{orders, watch}, timeout());
  }

  /// Blocks of whole warps.
  static setup in_warps(setup how) {
    how.threads_per_block = (how.threads_per_block + 31) / 32 * 32;
    return how;
  }
  static delegate_config config_of(const setup& how, unsigned blocks) {
    if (how.what.accounts > most_accounts)
      throw bench::infeasible("accounts of " + std::to_string(call_of_transfer::account_bits) +
                              " bits: at most " + std::to_string(most_accounts));
    delegate_config config;
    config.data = how.what.accounts;
    config.server_warps = in_warps(how).threads_per_block / 32;
    const unsigned others = std::max(2u, blocks) - 1;
    const unsigned warps = how.client_warps == 0 ? others : how.client_warps;
    config.client_warps = (warps + others - 1) / others;
    config.client_blocks = (warps + config.client_warps - 1) / config.client_warps;
    return config;
  }
  static unsigned resident(const setup& how) {
    const delegate_config config = config_of(how, 2);
    const auto resident_with = [&]<class Teller, class Stopwatch>(Teller, Stopwatch) {
      return max_resident_blocks(delegate_grid<pair_of_accounts, Teller, customers<Stopwatch>>,
                                 config.threads_per_block(),
                                 delegate_server<Teller>::shared_bytes(config));
    };
    return std::min({resident_with(teller{}, no_stopwatch{}), resident_with(teller{}, stopwatch{}),
                     resident_with(recorded_teller{}, no_stopwatch{})});
  }

  delegate_server<teller> timed_;
  delegate_server<recorded_teller> recorded_;
  accounts<std::uint32_t> balances_;
  bool recorded_last_ = false;
  bool lines_are_new_ = false;
};

}  // namespace

std::unique_ptr<bench::experiment> make_one_server(const setup& how) {
  try {
    return std::make_unique<one_server_experiment>(how);
  } catch (const std::invalid_argument& limit) {  // the axes allow more than a server can do
    throw bench::infeasible(limit.what());
  }
}

}  // namespace finesync::atm
