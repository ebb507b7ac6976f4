// Transfers under no lock but the balances themselves.
#include "full_empty_experiment.cuh"

#include <finesync/multi_object/full_empty_pair.cuh>

#include <memory>

namespace finesync::atm {

namespace {

/// Both balances are taken; above a balance, the transfers that its account has had.
struct full_empty_transfers {
  using word = std::uint64_t;
  using pair = full_empty_pair<word, ~word{0}, scope::device>;
  using backoff = random_round_backoff<1, 32>;
  /// Then one after the other. Lanes that differ in this wait for each other, so few should.
  static constexpr unsigned tries_together = 8;

  template <class Recorder>
  __device__ static bool try_task(const accounts_ref<word>& accounts, const orders_ref& orders,
                                  const transfer& t, std::uint32_t number, unsigned refused,
                                  const Recorder& record) {
    const auto section = [&](word& from, word& to) {
      auto giver = static_cast<std::uint32_t>(from);
      auto taker = static_cast<std::uint32_t>(to);
      const auto turn_of_giver = static_cast<std::uint32_t>(from >> 32);
      const auto turn_of_taker = static_cast<std::uint32_t>(to >> 32);
      orders.tell(number, move(t.amount, giver, taker));
      from = std::uint64_t{turn_of_giver + 1} << 32 | giver;
      to = std::uint64_t{turn_of_taker + 1} << 32 | taker;
      record.note(number, turn_of_giver, turn_of_taker);
    };
    return pair(accounts[t.from], accounts[t.to]).try_update(section, refused < tries_together);
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_full_empty_pair(const run_config& config) {
  return std::make_unique<full_empty_experiment<full_empty_transfers>>(config);
}

}  // namespace finesync::atm
