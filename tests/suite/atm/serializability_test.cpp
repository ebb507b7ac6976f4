// Records with a serial order, and records without one.
#include <workloads/atm/run_config.hpp>
#include <workloads/atm/serializability.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace finesync::atm {
namespace {

constexpr std::uint8_t executed = 1;
constexpr std::uint8_t rejected = 2;

struct recorded {
  transfer what;
  std::uint8_t told;
  turns when;
};

std::string found(const std::vector<recorded>& run,
                  decltype(find_serial_order) find = find_serial_order) {
  std::vector<std::uint64_t> orders;
  std::vector<std::uint8_t> answers;
  std::vector<turns> when;
  for (const recorded& one : run) {
    orders.push_back(order_of(one.what));
    answers.push_back(one.told);
    when.push_back(one.when);
  }
  return find(4, orders, answers, when);
}

TEST(order, keeps_all_of_a_transfer) {
  const transfer t = transfer_of(order_of({0x923456, 0xabcdef, 0xfedc}));
  EXPECT_EQ(t.from, 0x923456u);
  EXPECT_EQ(t.to, 0xabcdefu);
  EXPECT_EQ(t.amount, 0xfedcu);
}

TEST(serializability, is_that_of_the_turns) {
  // 1 has enough only after the transfer from 0.
  EXPECT_EQ(found({{{1, 2, opening_balance + 50}, executed, {1, 0}},
                   {{0, 1, 100}, executed, {0, 0}},
                   {{2, 3, 1}, executed, {1, 0}}}),
            "");
  EXPECT_EQ(found({{{1, 2, opening_balance + 50}, rejected, {0, 0}},
                   {{0, 1, 100}, executed, {0, 1}},
                   {{2, 3, 1}, executed, {1, 0}}}),
            "");
  EXPECT_EQ(found({}), "");
}

TEST(serializability, has_two_accounts_that_do_nothing_but_pay_each_other) {
  EXPECT_EQ(found({{{0, 1, 1}, executed, {0, 0}},
                   {{1, 0, 1}, executed, {1, 1}},
                   {{0, 1, 1}, executed, {2, 2}}}),
            "");
}

TEST(serializability, is_missed_where_an_answer_is_another) {
  EXPECT_EQ(found({{{0, 1, 1}, rejected, {0, 0}}}),
            "transfer 0 got an answer that no serial order gives");
  EXPECT_EQ(found({{{0, 1, opening_balance + 1}, executed, {0, 0}}}),
            "transfer 0 got an answer that no serial order gives");
}

TEST(serializability, is_missed_where_turns_are_shared_or_left_out) {
  EXPECT_EQ(found({{{0, 1, 1}, executed, {0, 0}}, {{0, 2, 1}, executed, {0, 0}}}),
            "transfer 1 shares its turn at an account with another");
  EXPECT_EQ(found({{{0, 1, 1}, executed, {1, 0}}}),
            "transfer 0 shares its turn at an account with another");
}

TEST(serializability, is_missed_where_transfers_wait_for_each_other) {
  EXPECT_EQ(found({{{0, 1, 1}, executed, {1, 0}},
                   {{1, 2, 1}, executed, {1, 0}},
                   {{2, 0, 1}, executed, {1, 0}},
                   {{3, 2, 1}, executed, {0, 2}}}),
            "no serial order: 4 transfers wait for each other");
}

std::string found_in_escrow(const std::vector<recorded>& run) {
  return found(run, find_serial_order_escrow);
}

TEST(escrow_serializability, has_additions_while_an_account_is_held) {
  // Each is held while the other pays into it.
  EXPECT_EQ(found_in_escrow({{{0, 1, 1}, executed, {0, 0, 1}}, {{1, 0, 1}, executed, {0, 0, 1}}}),
            "");
  // 0 is rejected, as 1 pays only after the check.
  EXPECT_EQ(found_in_escrow({{{0, 2, opening_balance + 1}, rejected, {0, 7, 1}},
                             {{1, 0, 1}, executed, {0, 0, 0}}}),
            "");
  EXPECT_EQ(found_in_escrow({}), "");
}

TEST(escrow_serializability, is_missed_where_an_answer_is_another) {
  EXPECT_EQ(found_in_escrow({{{0, 2, opening_balance + 1}, rejected, {1, 7, 1}},
                             {{1, 0, 1}, executed, {0, 0, 0}}}),
            "transfer 0 got an answer that no serial order gives");
  EXPECT_EQ(found_in_escrow({{{0, 1, opening_balance + 1}, executed, {0, 0, 0}}}),
            "transfer 0 got an answer that no serial order gives");
}

TEST(escrow_serializability, is_missed_where_an_account_is_held_twice) {
  EXPECT_EQ(found_in_escrow({{{0, 1, 1}, executed, {0, 0, 1}}, {{0, 2, 1}, executed, {0, 0, 0}}}),
            "transfer 1 shares its turn at an account with another");
  EXPECT_EQ(found_in_escrow({{{0, 1, 1}, executed, {0, 0, 1}}, {{0, 2, 1}, executed, {1, 0, 0}}}),
            "no serial order: 2 transfers wait for each other");
}

/// Both accounts are free before the amounts are added, and both are checked in between.
TEST(escrow_serializability, is_missed_where_a_giver_is_free_too_soon) {
  constexpr std::uint32_t all = opening_balance;
  EXPECT_EQ(found_in_escrow({{{0, 1, all}, executed, {0, 2, 0}},
                             {{1, 0, all}, executed, {0, 2, 0}},
                             {{0, 2, 1}, rejected, {1, 0, 1}},
                             {{1, 2, 1}, rejected, {1, 0, 1}}}),
            "no serial order: 4 transfers wait for each other");
}

}  // namespace
}  // namespace finesync::atm
