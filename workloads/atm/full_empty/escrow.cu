// Transfers that hold only the giver's word, and add to the taker's at any time.
#include "full_empty_experiment.cuh"

#include <finesync/multi_object/escrow.cuh>

#include <memory>

namespace finesync::atm {

namespace {

struct escrow_transfers {
  using backoff = random_round_backoff<1, 4>;

  template <class Recorder>
  __device__ static bool try_task(const accounts_ref<std::uint64_t>& accounts,
                                  const orders_ref& orders, const transfer& t, std::uint32_t number,
                                  unsigned /*refused*/, const Recorder& record) {
    transfer_result result = transfer_result::none;
    escrow_history history = {};
    const auto section = [&](std::uint32_t balance) {
      std::uint32_t received = 0;
      result = move(t.amount, balance, received);
      return received;
    };
    if (!escrow<scope::device>(accounts[t.from], accounts[t.to]).try_transfer(section, history))
      return false;
    orders.tell(number, result);
    record.note(number, history.held, history.added, history.freed);
    return true;
  }
};

class escrow_experiment final : public full_empty_experiment<escrow_transfers> {
  using full_empty_experiment::full_empty_experiment;

  bench::outcome check_recorded(const bank& customers,
                                const buffer<turns>& recorded) const override {
    return customers.check_order_in_escrow(recorded);
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_escrow(const run_config& config) {
  return std::make_unique<escrow_experiment>(config);
}

}  // namespace finesync::atm
