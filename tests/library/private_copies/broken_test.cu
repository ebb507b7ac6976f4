// Broken copies and services. The check of the right ones must reject each.
#include "merging.cuh"

namespace finesync::test::broken_copies_test {
namespace {

constexpr unsigned seeds = 100;

template <template <class> class Copies, class Service>
unsigned failing(const merging_load& load = {}) {
  return failing_twin_seeds(strong, seeds, [&] { return merges_right<Copies, Service>(load); });
}

template <class Service>
using of_a_block = private_copies<Service>;
template <class Service>
using of_a_pair = private_copies<Service, 2>;

/// Adds by a load and a store.
struct torn_sums : merging_sums {
  template <class Copy>
  __device__ void apply(const Copy& copy, std::uint32_t i) const {
    copy.store(copy.load(memory_order::relaxed) + i + 1, memory_order::relaxed);
  }
};

/// Merges by a load and a store.
struct sums_that_merge_torn : merging_sums {
  __device__ void merge(std::uint32_t key, word copy, std::uint32_t /*place*/) const {
    const atomic_ref<std::uint32_t, scope::device> sum(sums[key]);
    sum.store(sum.load(memory_order::relaxed) + copy, memory_order::relaxed);
  }
};

/// All sets note the ends of their lists in the same places.
struct lists_of_one_set : merging_lists {
  std::uint32_t keys = 5;

  __device__ void follow(std::uint32_t key, std::uint32_t i, std::uint32_t before,
                         std::uint32_t place) const {
    merging_lists::follow(key, i, before, place % keys);
  }
  __device__ void merge(std::uint32_t key, word copy, std::uint32_t place) const {
    merging_lists::merge(key, copy, place % keys);
  }
};

/// Merges at once, while others of its set still run sections.
template <class Service>
struct copies_that_do_not_meet : private_copies<Service> {
  Service service;
  std::uint32_t keys;

  __device__ copies_that_do_not_meet(std::uint32_t extent, const Service& with,
                                     unsigned char* shared)
      : private_copies<Service>(extent, with, shared), service(with), keys(extent) {}

  __device__ void merge() const {
    auto* const copies = reinterpret_cast<cell<std::uint32_t>*>(shared_bytes());
    for (std::uint32_t key = thread_rank(); key < keys; key += block_threads())
      service.merge(key, copies[key], block_rank() * keys + key);
  }
};

TEST(broken_copies, sections_that_are_not_atomic_are_rejected) {
  EXPECT_GT((failing<of_a_block, torn_sums>()), 0u);
  EXPECT_GT((failing<of_a_pair, torn_sums>(
                {.shape = {.blocks = 4, .threads_per_block = 8, .cluster_blocks = 2}})),
            0u);
  EXPECT_GT((failing<cached_copies, torn_sums>({.extent = 16})), 0u);
}

TEST(broken_copies, merges_that_are_not_atomic_are_rejected) {
  EXPECT_GT((failing<of_a_block, sums_that_merge_torn>()), 0u);
}

TEST(broken_copies, ends_of_lists_in_the_places_of_other_sets_are_rejected) {
  EXPECT_GT((failing<of_a_block, lists_of_one_set>()), 0u);
}

TEST(broken_copies, merging_before_the_last_section_is_rejected) {
  EXPECT_GT((failing<copies_that_do_not_meet, merging_sums>()), 0u);
}

TEST(broken_copies, more_than_there_is_room_for_are_refused) {
  EXPECT_THROW((merges_right<cached_copies, merging_sums>({.extent = 12})), std::logic_error);
}

}  // namespace
}  // namespace finesync::test::broken_copies_test
