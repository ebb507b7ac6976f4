// Transfers between balances that are full/empty words.
#include "full_empty_experiment.cuh"

#include <finesync/multi_object/full_empty_pair.cuh>
#include <workloads/atm/transfer_section.cuh>

#include <memory>

namespace finesync::atm {

namespace {

/// Takes both balances. The higher bits of a balance count the transfers of its account.
struct full_empty_transfers {
  using word = std::uint64_t;
  using pair = full_empty_pair<word, ~word{0}, scope::device>;
  using backoff = random_round_backoff<1, 32>;
  /// After as many failures, one by one. Lanes that differ in this wait for each other, so few
  /// should.
  static constexpr unsigned simultaneous_attempts = 8;

  template <class Recorder>
  __device__ static bool try_task(const accounts_ref<word>& accounts, const orders_ref& orders,
                                  const transfer& t, std::uint32_t number, unsigned refused,
                                  const Recorder& record) {
    const transfer_section<counted_account<word>, Recorder> section{record};
    const auto told = [&](word& from, word& to) {
      orders.tell(number, section(from, to, {t.amount, number}));
    };
    return pair(accounts[t.from], accounts[t.to]).try_update(told, refused < simultaneous_attempts);
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_full_empty_pair(const run_config& config) {
  return std::make_unique<full_empty_experiment<full_empty_transfers>>(config);
}

}  // namespace finesync::atm
