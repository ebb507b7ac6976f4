// One thread makes all transfers, one after the other, with one mistake. The verification of the
// primitives must reject it.
#include <workloads/atm/accounts.cuh>
#include <workloads/atm/locks/multi_lock_experiment.cuh>
#include <workloads/atm/transfer_experiment.cuh>

#include <tests/library/locks/no_lock.hpp>
#include <tests/primitives.hpp>

namespace finesync::atm {
namespace {

enum class mistake {
  none,
  executes_one_twice,
  answers_one_wrongly,
  forgets_one,
  invents_money,
  overdraws,
  rejects_all,       // the balances are right, but no serial order gives the answers
  refuses_too_soon,  // the same, once
  records_a_turn_twice,
  rejects_all_later,  // from the third run on
};

/// The transfer with the mistake: one that is executed.
constexpr std::uint32_t victim = 2;

__global__ void tell(accounts_ref<std::uint32_t> accounts, accounts_ref<std::uint32_t> turns_had,
                     orders_ref orders, history_recorder record, mistake what) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  for (std::uint32_t i = 0; i < orders.transfers; ++i) {
    const bool now = i == victim;
    if (now && what == mistake::forgets_one) continue;
    const transfer t = orders[i];
    std::uint32_t from = accounts[t.from];
    std::uint32_t to = accounts[t.to];
    transfer_result result = transfer_result::rejected;
    if (what == mistake::rejects_all || (now && what == mistake::refuses_too_soon)) {
    } else if (now && what == mistake::overdraws) {
      from -= 100 * t.amount;
      to += 100 * t.amount;
      result = transfer_result::executed;
    } else {
      result = move(t.amount, from, to);
      if (now && what == mistake::executes_one_twice) move(t.amount, from, to);
      if (now && what == mistake::answers_one_wrongly) result = transfer_result::rejected;
      if (now && what == mistake::invents_money) ++to;
    }
    accounts[t.from] = from;
    accounts[t.to] = to;
    orders.tell(i, result);
    if (record.of == nullptr) continue;
    const std::uint32_t turn = turns_had[t.from];
    const std::uint32_t other_turn = turns_had[t.to];
    record.note(i, now && what == mistake::records_a_turn_twice ? turn + 1 : turn, other_turn);
    turns_had[t.from] = turn + 1;
    turns_had[t.to] = other_turn + 1;
  }
}

class broken_runner final : public transfer_experiment {
 public:
  explicit broken_runner(mistake what)
      : transfer_experiment({.problem = {.accounts = 8, .transfers = 300}, .threads_per_block = 1},
                            max_resident_blocks(tell, 1)),
        what_(what),
        accounts_(8, false),
        turns_had_(8, false) {}

 protected:
  void open_accounts() override {
    ++runs_;
    accounts_.open(shape(), opening_balance);
    turns_had_.open(shape(), 0);
  }
  void start(const orders_ref& orders) override { start_recorded(orders, {nullptr}); }
  bool start_recorded(const orders_ref& orders, const history_recorder& record) override {
    const bool late = what_ == mistake::rejects_all_later;
    const mistake now = !late ? what_ : runs_ > 4 ? mistake::rejects_all : mistake::none;
    launch_independent(tell, shape(), accounts_.ref(), turns_had_.ref(), orders, record, now);
    return true;
  }
  void collect(cell<std::uint32_t>* balances) override {
    accounts_.read(shape(), what().accounts, balances);
  }

 private:
  mistake what_;
  unsigned runs_ = 0;  ///< the recorded ones, too
  accounts<std::uint32_t> accounts_;
  accounts<std::uint32_t> turns_had_;
};

std::string complaint_about(mistake what) {
  broken_runner one(what);
  one.reset();
  one.launch();
  return one.verify().reason;
}

TEST(broken_runner, without_a_mistake_is_right) {
  EXPECT_EQ(complaint_about(mistake::none), "");
}

TEST(broken_runner, with_one_is_found_out) {
  const std::string off = "accounts hold another balance than the executed ones leave";
  const std::string all = "300 of 300 transfers are decided, ";
  EXPECT_EQ(complaint_about(mistake::executes_one_twice), all + "2 " + off + ", 0 a negative one");
  EXPECT_EQ(complaint_about(mistake::answers_one_wrongly), all + "2 " + off + ", 0 a negative one");
  EXPECT_EQ(complaint_about(mistake::forgets_one),
            "299 of 300 transfers are decided, 0 " + off + ", 0 a negative one");
  EXPECT_EQ(complaint_about(mistake::invents_money), all + "1 " + off + ", 0 a negative one");
  EXPECT_EQ(complaint_about(mistake::overdraws), all + "2 " + off + ", 1 a negative one");
  for (const mistake unserial : {mistake::rejects_all, mistake::refuses_too_soon})
    EXPECT_TRUE(complaint_about(unserial).ends_with("got an answer that no serial order gives"));
  EXPECT_NE(complaint_about(mistake::records_a_turn_twice), "");
}

TEST(broken_runner, that_breaks_later_is_found_out) {
  broken_runner one(mistake::rejects_all_later);
  EXPECT_NE(one.unverified(), "");
  EXPECT_TRUE(workload::ending(one).ok());
  EXPECT_TRUE(workload::ending(one).ok());
  EXPECT_FALSE(workload::ending(one).ok());
}

// Transfers under locks that do not exclude must come out wrong, also where the timed sections are
// empty, and in the run in which locks are seen to change hands.

using experiment = multi_lock_experiment<test::no_lock, in_order>;

constexpr run_config crowded{.problem = {.accounts = 4, .transfers = 300}, .threads_per_block = 40};
constexpr unsigned seeds = 10;

unsigned wrong_seeds(const run_config& config) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    experiment broken(config);
    wrong += !workload::ending(broken).ok();
  }
  return wrong;
}

TEST(broken_locks, are_rejected) {
  EXPECT_EQ(wrong_seeds(crowded), seeds);
}

TEST(broken_locks, with_empty_sections_are_rejected) {
  run_config empty = crowded;
  empty.empty_sections = true;
  EXPECT_EQ(wrong_seeds(empty), seeds);
  EXPECT_NE(experiment(empty).unverified(), experiment(crowded).unverified());
}

TEST(broken_locks, are_rejected_in_the_observed_run) {
  const simt::scoped_settings scoped(simt::random_schedule(0));
  EXPECT_THROW(experiment(crowded).measure(), bench::failed_run);
}

}  // namespace
}  // namespace finesync::atm
