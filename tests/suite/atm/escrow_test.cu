// Amounts in escrow: correct over random schedules, and broken variants with likely mistakes.
#include <finesync/multi_object/escrow.cuh>
#include <finesync/multi_object/retry_per_lane.cuh>
#include <simt/fault.hpp>
#include <workloads/atm/run_config.hpp>
#include <workloads/atm/serializability.hpp>

#include <tests/library/harness/harness.hpp>

namespace finesync::atm::escrow_test {
namespace {

using word = std::uint64_t;

/// The common part of the broken variants. A variant that holds the giver defines
/// void gives(history, value of the giver, amount)
template <class Variant>
struct variant {
  atomic_ref<word, scope::device> giver;
  atomic_ref<word, scope::device> taker;

  variant(cell<word>& from, cell<word>& to) : giver(from), taker(to) {}

  template <class Section>
  bool try_transfer(Section&& section, escrow_history& history) {
    const word given = giver.fetch_or(escrow_word::held, memory_order::relaxed);
    if ((given & escrow_word::held) != 0) return false;
    history.held = escrow_word::changes_of(given);
    const std::uint32_t value = escrow_word::value_of(given);
    static_cast<Variant&>(*this).gives(history, value, section(value));
    return true;
  }

  void add(escrow_history& history, std::uint32_t amount) {
    if (amount == 0) return;
    history.added = escrow_word::changes_of(
        taker.fetch_add(escrow_word::change + amount, memory_order::relaxed));
  }
  void free(escrow_history& history, std::uint32_t amount) {
    history.freed = escrow_word::changes_of(
        giver.fetch_add(escrow_word::change - escrow_word::held - amount, memory_order::relaxed));
  }
};

/// Frees the giver before it adds.
struct frees_too_soon : variant<frees_too_soon> {
  using variant::variant;
  void gives(escrow_history& history, std::uint32_t /*value*/, std::uint32_t amount) {
    free(history, amount);
    add(history, amount);
  }
};

/// Writes its computed value, and so loses concurrent additions.
struct stores : variant<stores> {
  using variant::variant;
  void gives(escrow_history& history, std::uint32_t value, std::uint32_t amount) {
    add(history, amount);
    history.freed = history.held;
    giver.store((history.held + word{1}) * escrow_word::change + value - amount,
                memory_order::relaxed);
  }
};

/// Keeps a giver whose balance is too small.
struct keeps_a_poor_giver : variant<keeps_a_poor_giver> {
  using variant::variant;
  void gives(escrow_history& history, std::uint32_t /*value*/, std::uint32_t amount) {
    if (amount == 0) return;
    add(history, amount);
    free(history, amount);
  }
};

/// Works on a value that it has only read.
struct holds_nothing : variant<holds_nothing> {
  using variant::variant;
  template <class Section>
  bool try_transfer(Section&& section, escrow_history& history) {
    const word given = giver.load(memory_order::relaxed);
    history.held = escrow_word::changes_of(given);
    const std::uint32_t amount = section(escrow_word::value_of(given));
    add(history, amount);
    history.freed = escrow_word::changes_of(
        giver.fetch_add(escrow_word::change - amount, memory_order::relaxed));
    return true;
  }
};

/// The correct algorithm from the same parts: it shows that the variants fail by their mistakes.
struct unbroken : variant<unbroken> {
  using variant::variant;
  void gives(escrow_history& history, std::uint32_t /*value*/, std::uint32_t amount) {
    add(history, amount);
    free(history, amount);
  }
};

constexpr unsigned accounts = 3;
constexpr launch_shape grid{.blocks = 3, .threads_per_block = 34};
constexpr unsigned rounds = 3;
constexpr unsigned transfers = grid.blocks * grid.threads_per_block * rounds;

/// Large amounts, so that many are rejected.
std::vector<std::uint64_t> some_orders() {
  std::vector<std::uint64_t> orders;
  for (unsigned i = 0; i < transfers; ++i) {
    const unsigned from = i * 7 % accounts;
    orders.push_back(
        order_of({from, (from + 1 + i % (accounts - 1)) % accounts, 60 + i * 13 % 80}));
  }
  return orders;
}

template <class Escrow>
struct moves {
  cell<word>* words;
  const cell<std::uint64_t>* orders;
  cell<std::uint8_t>* answers;
  cell<turns>* recorded;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

  bool next_task() { return i < transfers; }
  bool try_task(unsigned /*refused*/) {
    const transfer t = transfer_of(orders[i]);
    escrow_history seen = {};
    transfer_result result = transfer_result::none;
    const auto section = [&](std::uint32_t value) {
      std::uint32_t received = 0;
      result = move(t.amount, value, received);
      return received;
    };
    if (!Escrow(words[t.from], words[t.to]).try_transfer(section, seen)) return false;
    answers[i] = static_cast<std::uint8_t>(result);
    recorded[i] = turns{seen.held, seen.added, seen.freed};
    i += gridDim.x * blockDim.x;
    return true;
  }
};

template <class Escrow>
__global__ void move_each(cell<word>* words, const cell<std::uint64_t>* orders,
                          cell<std::uint8_t>* answers, cell<turns>* recorded,
                          watchdog_ref watchdog) {
  moves<Escrow> tasks{words, orders, answers, recorded};
  retry_per_lane<random_round_backoff<1, 4>>(tasks, watchdog);
}

/// Checks that every word is free and changed as often as recorded, that no money is lost, and that
/// a serial order exists.
template <class Escrow>
bool is_serial() {
  buffer<word> words(accounts);
  words.copy_from(std::vector<word>(accounts, opening_balance));
  buffer<std::uint64_t> orders(transfers);
  orders.copy_from(some_orders());
  buffer<std::uint8_t> answers(transfers);
  buffer<turns> recorded(transfers);
  const watchdog timeout;
  launch_cooperative(move_each<Escrow>, grid, words.device_data(),
                     static_cast<const cell<std::uint64_t>*>(orders.device_data()),
                     answers.device_data(), recorded.device_data(), timeout.ref());
  std::uint32_t all = 0;
  for (const word one : words.to_host()) {
    if ((one & escrow_word::held) != 0) return false;
    all += escrow_word::value_of(one);
  }
  return !timeout.fired() && all == accounts * opening_balance &&
         find_serial_order_escrow(accounts, orders.to_host(), answers.to_host(), recorded.to_host())
             .empty();
}

template <class Escrow>
unsigned wrong_seeds(unsigned seeds) {
  return test::failing_seeds(test::weak, seeds, is_serial<Escrow>);
}

TEST(escrow, is_serial_on_any_schedule) {
  EXPECT_EQ(wrong_seeds<escrow<scope::device>>(test::seed_budget(500)), 0u);
}

TEST(broken_escrow, is_rejected) {
  EXPECT_EQ(wrong_seeds<unbroken>(10), 0u);
  EXPECT_GT(wrong_seeds<frees_too_soon>(10), 0u);
  EXPECT_GT(wrong_seeds<holds_nothing>(10), 0u);
  EXPECT_GT(wrong_seeds<stores>(10), 0u);
  EXPECT_THROW(wrong_seeds<keeps_a_poor_giver>(10), hang_error);
}

}  // namespace
}  // namespace finesync::atm::escrow_test
