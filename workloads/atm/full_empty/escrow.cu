// Transfers that hold the giver's word alone, and add to the taker's at any time.
#include "full_empty_experiment.cuh"

#include <finesync/multi_object/escrow.cuh>

#include <memory>

namespace finesync::atm {

namespace {

struct escrow_words {
  using pauses = random_pauses<1, 4>;

  template <class Recorder>
  __device__ static bool attempt(const accounts_ref<std::uint64_t>& accounts,
                                 const orders_ref& orders, const transfer& t, std::uint32_t number,
                                 unsigned /*refused*/, const Recorder& record) {
    answer result = answer::none;
    escrow_turns turns = {};
    const auto section = [&](std::uint32_t balance) {
      std::uint32_t received = 0;
      result = move(t.amount, balance, received);
      return received;
    };
    if (!escrow<scope::device>(accounts[t.from], accounts[t.to]).try_move(section, turns))
      return false;
    orders.tell(number, result);
    record.note(number, turns.held, turns.added, turns.freed);
    return true;
  }
};

class escrow_experiment final : public words_experiment<escrow_words> {
  using words_experiment::words_experiment;

  bench::outcome check_recorded(const bank& customers,
                                const buffer<turns>& recorded) const override {
    return customers.check_order_in_escrow(recorded);
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_escrow_words(const setup& how) {
  return std::make_unique<escrow_experiment>(how);
}

}  // namespace finesync::atm
