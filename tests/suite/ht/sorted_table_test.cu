// A table by sorting: the first insert of each entry is found, and its check rejects wrong tables.
#include <workloads/ht/sorted_table.hpp>
#include <workloads/ht/table.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

namespace finesync::ht {

inline void PrintTo(const problem& what, std::ostream* out) {
  *out << what.inserts << "_in_" << what.table_size;
}

namespace {

using words = std::vector<std::uint32_t>;

struct pairs {
  words entries;
  words nodes;
};

/// The batch in the order of its entries, sorted on the host.
pairs sorted(const sorted_table& table) {
  const words entry = table.batch_entries().to_host();
  pairs found{entry, table.batch_nodes().to_host()};
  std::stable_sort(found.nodes.begin(), found.nodes.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return entry[a] < entry[b]; });
  std::sort(found.entries.begin(), found.entries.end());
  return found;
}

void put(sorted_table& table, const pairs& given) {
  table.entries().copy_from(given.entries);
  table.nodes().copy_from(given.nodes);
}

bool passes(const problem& what, const sorted_table& sorted) {
  table lists(what);
  sorted.link(lists.ref());
  return lists.check().passed(what);
}

/// Entries of many, of few and of no inserts, and more inserts than threads.
class sorted_tables : public ::testing::TestWithParam<problem> {};
INSTANTIATE_TEST_SUITE_P(
    some, sorted_tables,
    ::testing::Values(problem{.collision_factor = 32, .inserts = 300, .table_size = 4},
                      problem{.collision_factor = 4096, .inserts = 1000, .table_size = 512},
                      problem{.collision_factor = 32, .inserts = 1, .table_size = 16},
                      problem{.collision_factor = 32, .inserts = 64, .table_size = 1}),
    [](const auto& tested) { return ::testing::PrintToString(tested.param); });

TEST_P(sorted_tables, know_the_first_insert_of_each_entry) {
  sorted_table table(GetParam());
  const pairs given = sorted(table);
  put(table, given);
  table.find_first();
  const words first = table.first().to_host();
  for (std::uint32_t entry = 0; entry < GetParam().table_size; ++entry) {
    const auto [from, to] = std::equal_range(given.entries.begin(), given.entries.end(), entry);
    EXPECT_EQ(first[entry],
              from == to ? no_node : static_cast<std::uint32_t>(from - given.entries.begin()));
  }
}

TEST_P(sorted_tables, pass_the_check_of_all_tables) {
  sorted_table table(GetParam());
  EXPECT_FALSE(passes(GetParam(), table)) << "nothing is sorted";
  put(table, sorted(table));
  EXPECT_FALSE(passes(GetParam(), table)) << "the first inserts are unknown";
  table.find_first();
  EXPECT_TRUE(passes(GetParam(), table));
  table.reset();
  EXPECT_FALSE(passes(GetParam(), table));
}

TEST_P(sorted_tables, keep_their_batch_from_run_to_run) {
  sorted_table table(GetParam());
  poison_scratch(0);
  table.reset();
  put(table, sorted(table));
  table.find_first();
  EXPECT_TRUE(passes(GetParam(), table));
}

constexpr problem some{.collision_factor = 32, .inserts = 300, .table_size = 16};

/// Whether a table passes whose sorted pairs `spoil` has changed.
template <class Spoil>
bool passes_with(Spoil spoil) {
  sorted_table table(some);
  pairs given = sorted(table);
  spoil(given);
  put(table, given);
  table.find_first();
  return passes(some, table);
}

TEST(sorted_table, is_rejected_with_nodes_in_a_wrong_entry) {
  EXPECT_TRUE(passes_with([](pairs&) {}));
  EXPECT_FALSE(
      passes_with([](pairs& given) { std::swap(given.nodes.front(), given.nodes.back()); }));
}

TEST(sorted_table, is_rejected_with_a_node_twice_or_a_node_that_is_none) {
  EXPECT_FALSE(passes_with([](pairs& given) { given.nodes[1] = given.nodes[0]; }));
  EXPECT_FALSE(passes_with([](pairs& given) { given.nodes[1] = some.inserts; }));
}

TEST(sorted_table, is_rejected_in_the_order_of_the_batch) {
  sorted_table table(some);
  put(table, {table.batch_entries().to_host(), table.batch_nodes().to_host()});
  table.find_first();
  EXPECT_FALSE(passes(some, table));
}

}  // namespace
}  // namespace finesync::ht
