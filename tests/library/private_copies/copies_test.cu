// Sections on private copies: each takes effect on its object exactly once.
#include "merging.cuh"

namespace finesync::test::copies_test {
namespace {

template <class Service>
using of_a_block = private_copies<Service>;
template <class Service>
using of_a_pair = private_copies<Service, 2>;
template <class Service>
using of_four = private_copies<Service, 4>;

const unsigned seeds = seed_budget(60);

template <template <class> class Copies>
void expect_right(const merging_load& load, unsigned tried = seeds) {
  expect_right_in_any_memory(tried, [&] { return merges_right<Copies, merging_sums>(load); });
  expect_right_in_any_memory(tried, [&] { return merges_right<Copies, merging_lists>(load); });
}

constexpr launch_shape in_clusters(unsigned of) {
  return {.blocks = 8, .threads_per_block = 8, .cluster_blocks = of};
}

// Many copies whose merge waits for memory are of two blocks; those that do not fit are of none.
static_assert(fastest_set_blocks<merging_lists>(22528) == 1);
static_assert(fastest_set_blocks<merging_lists>(22529) == 2);
static_assert(fastest_set_blocks<merging_sums>(58112) == 1);
static_assert(fastest_set_blocks<merging_sums>(58113) == 0);

TEST(private_copies, of_a_block_merge_every_section_once) {
  expect_right<of_a_block>({});
}

TEST(private_copies, of_a_cluster_merge_every_section_once) {
  expect_right<of_a_pair>({.shape = in_clusters(2)});
  expect_right<of_four>({.shape = in_clusters(4)});
}

TEST(private_copies, may_be_more_than_threads_and_fewer_than_blocks) {
  expect_right<of_a_block>({.keys = 60, .extent = 60});
  expect_right<of_four>({.keys = 1, .extent = 1, .shape = in_clusters(4)});
}

TEST(private_copies, of_which_none_is_used_change_nothing) {
  expect_right<of_a_block>({.sections = 0}, 2);
  expect_right<of_a_pair>({.sections = 0, .shape = in_clusters(2)}, 2);
}

TEST(cached_copies, merge_every_section_once) {
  expect_right<cached_copies>({.extent = 16});
}

TEST(cached_copies, leave_objects_without_a_copy_to_the_section) {
  expect_right<cached_copies>({.keys = 60, .extent = 2});
  expect_right<cached_copies>({.keys = 60, .extent = 16});
}

}  // namespace
}  // namespace finesync::test::copies_test
