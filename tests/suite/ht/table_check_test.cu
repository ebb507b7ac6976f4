// The check of the table must accept a correct table and reject each kind of wrong table.
#include <finesync/host/launch.cuh>
#include <finesync/host/peers.cuh>
#include <workloads/ht/table.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace finesync::ht {
namespace {

constexpr problem what{.collision_factor = 32, .inserts = 100, .table_size = 16};

struct lists {
  std::vector<std::uint32_t> head;
  std::vector<std::uint32_t> next;
};

/// A correct table, built by one thread on the host.
lists right_lists() {
  lists l{std::vector<std::uint32_t>(what.table_size, no_node),
          std::vector<std::uint32_t>(what.inserts, no_node)};
  for (std::uint32_t i = 0; i < what.inserts; ++i) {
    std::uint32_t& head = l.head[entry_of(what, i)];
    l.next[i] = head;
    head = i;
  }
  return l;
}

/// An entry with a list of at least three nodes.
std::uint32_t long_list(const lists& l) {
  for (std::uint32_t entry = 0; entry < what.table_size; ++entry) {
    const std::uint32_t first = l.head[entry];
    if (first == no_node || l.next[first] == no_node) continue;
    if (l.next[l.next[first]] != no_node) return entry;
  }
  ADD_FAILURE() << "no long list";
  return 0;
}

__global__ void write_lists(table_ref table, const std::uint32_t* head, const std::uint32_t* next) {
  for (std::uint32_t i = 0; i < table.what.table_size; ++i) table.head[i] = head[i];
  for (std::uint32_t i = 0; i < table.what.inserts; ++i) table.next[i] = next[i];
}

table_check check(const lists& l) {
  table t(what);
  launch_independent(write_lists, {1, 1}, t.ref(), l.head.data(), l.next.data());
  return t.check();
}

TEST(table_check, accepts_a_right_table) {
  const table_check found = check(right_lists());
  EXPECT_TRUE(found.passed(what)) << found.describe(what);
}

TEST(table_check, rejects_a_lost_node) {
  lists l = right_lists();
  const std::uint32_t first = l.head[long_list(l)];
  l.next[first] = l.next[l.next[first]];
  EXPECT_EQ(check(l).found, what.inserts - 1);
  EXPECT_FALSE(check(l).passed(what));
}

TEST(table_check, rejects_a_node_in_a_wrong_list) {
  lists l = right_lists();
  const std::uint32_t entry = long_list(l);
  const std::uint32_t other = (entry + 1) % what.table_size;
  const std::uint32_t moved = l.head[entry];
  l.head[entry] = l.next[moved];
  l.next[moved] = l.head[other];
  l.head[other] = moved;
  EXPECT_EQ(check(l).misplaced, 1u);
  EXPECT_EQ(check(l).found, what.inserts);
  EXPECT_FALSE(check(l).passed(what));
}

TEST(table_check, rejects_a_cycle) {
  lists l = right_lists();
  const std::uint32_t first = l.head[long_list(l)];
  l.next[l.next[l.next[first]]] = first;
  EXPECT_EQ(check(l).repeated, 1u);
  EXPECT_FALSE(check(l).passed(what));
}

/// With all its nodes: they are found, each in its own list.
TEST(table_check, rejects_a_list_that_is_a_ring) {
  lists l = right_lists();
  const std::uint32_t first = l.head[long_list(l)];
  std::uint32_t last = first;
  while (l.next[last] != no_node) last = l.next[last];
  l.next[last] = first;
  EXPECT_EQ(check(l).found, what.inserts);
  EXPECT_EQ(check(l).misplaced, 0u);
  EXPECT_FALSE(check(l).passed(what));
}

TEST(table_check, rejects_lists_that_change_places) {
  lists l = right_lists();
  std::swap(l.head.front(), l.head.back());
  EXPECT_EQ(check(l).found, what.inserts);
  std::uint64_t of_both = 0;
  for (std::uint32_t i = 0; i < what.inserts; ++i)
    of_both += entry_of(what, i) % (what.table_size - 1) == 0;
  EXPECT_EQ(check(l).misplaced, of_both);
}

TEST(table_check, rejects_two_lists_that_join) {
  lists l = right_lists();
  const std::uint32_t entry = long_list(l);
  const std::uint32_t second = l.next[l.head[entry]];
  const std::uint32_t other = (entry + 1) % what.table_size;
  l.head[other] = second;
  EXPECT_FALSE(check(l).passed(what));
}

/// The lists of even entries on one GPU, the others on another.
table_check check_in_parts(const lists& even, const lists& odd) {
  const peers all(2);
  std::vector<table> parts;
  for (const lists* part : {&even, &odd}) {
    const stream& on = all.stream_of(static_cast<unsigned>(parts.size()));
    parts.emplace_back(what, on);
    launch_independent(on, write_lists, {1, 1}, parts.back().ref(), part->head.data(),
                       part->next.data());
  }
  std::vector<table_check> checks;
  std::vector<std::vector<std::uint32_t>> heads;
  for (table& part : parts) {
    checks.push_back(part.check());
    heads.push_back(part.heads());
  }
  return table_check::of_parts(checks, heads);
}

lists half_of(lists l, std::uint32_t parity) {
  for (std::uint32_t entry = 0; entry < what.table_size; ++entry)
    if (entry % 2 != parity) l.head[entry] = no_node;
  return l;
}

TEST(table_check, accepts_a_table_on_two_gpus) {
  const table_check found = check_in_parts(half_of(right_lists(), 0), half_of(right_lists(), 1));
  EXPECT_TRUE(found.passed(what)) << found.describe(what);
}

TEST(table_check, rejects_a_list_on_two_gpus) {
  lists even = half_of(right_lists(), 0);
  lists odd = half_of(right_lists(), 1);
  const std::uint32_t entry = long_list(even);
  odd.head[entry] = even.head[entry];
  even.head[entry] = even.next[even.head[entry]];
  odd.next[odd.head[entry]] = no_node;
  EXPECT_EQ(check_in_parts(even, odd).found, what.inserts);
  EXPECT_EQ(check_in_parts(even, odd).misplaced, 1u);
}

TEST(table_check, rejects_a_node_on_two_gpus) {
  EXPECT_FALSE(check_in_parts(half_of(right_lists(), 0), right_lists()).passed(what));
}

TEST(table_check, rejects_garbage) {
  lists l = right_lists();
  std::uint32_t& next = l.next[l.head[long_list(l)]];
  for (const std::uint32_t beyond : {0xeeeeeeee, what.inserts}) {
    next = beyond;
    EXPECT_EQ(check(l).repeated, 1u);
  }
  EXPECT_FALSE(check(l).passed(what));
}

}  // namespace
}  // namespace finesync::ht
