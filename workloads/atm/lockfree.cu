#include "accounts.cuh"
#include "transfer_experiment.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>

#include <memory>

namespace finesync::atm {

namespace {

// A transfer without a section over both accounts: money is in transit for a while, and other
// threads may see that. A bound for all primitives that update both accounts at once.
__global__ void __maxnreg__(32) transfer_in_two_steps(accounts_ref<std::uint32_t> accounts,
                                                      orders_ref orders, watchdog_ref watchdog) {
  assume_one_dimension();
  each_transfer(orders.transfers, watchdog, [&](std::uint32_t i) {
    const transfer t = orders[i];
    const atomic_ref<std::uint32_t, scope::device> from(accounts[t.from]);
    std::uint32_t balance = from.load(memory_order::relaxed);
    while (balance >= t.amount &&
           !from.compare_exchange(balance, balance - t.amount, memory_order::relaxed)) {
    }
    const bool executed = balance >= t.amount;
    if (executed)
      atomic_ref<std::uint32_t, scope::device>(accounts[t.to])
          .fetch_add(t.amount, memory_order::relaxed);
    orders.tell(i, executed ? transfer_result::executed : transfer_result::rejected);
    return true;
  });
}

class lockfree_experiment final : public transfer_experiment {
 public:
  explicit lockfree_experiment(const run_config& config)
      : transfer_experiment(config,
                            max_resident_blocks(transfer_in_two_steps, config.threads_per_block)),
        accounts_(config.problem.accounts, config.padded_accounts) {}

  /// No order is promised.
  std::string unverified() const override { return {}; }

 protected:
  void open_accounts() override { accounts_.open(shape(), opening_balance); }
  void start(const orders_ref& orders) override {
    launch_cooperative(transfer_in_two_steps, shape(), accounts_.ref(), orders, timeout());
  }
  bool start_recorded(const orders_ref& /*orders*/, const history_recorder& /*record*/) override {
    return false;
  }
  void collect(cell<std::uint32_t>* balances) override {
    accounts_.read(shape(), what().accounts, balances);
  }

 private:
  accounts<std::uint32_t> accounts_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_lockfree(const run_config& config) {
  return std::make_unique<lockfree_experiment>(config);
}

}  // namespace finesync::atm
