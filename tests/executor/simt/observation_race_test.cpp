// The race detector and PTX's observation order: a write that a thread has observed by an atomic
// read, also through a chain of read-modify-writes, precedes what the thread does then. What was
// done before that write does not.
#include "races.hpp"

#include <finesync/device/shared_storage.cuh>

namespace simt_test::observation_race_test {
namespace {

using enum memory_order;

/// How a block draws its ticket.
enum class drawn { by_add, by_compare_exchange, by_add_of_block_scope };

template <drawn How>
std::uint32_t draw(cell32& tickets) {
  constexpr scope reach = How == drawn::by_add_of_block_scope ? scope::block : scope::device;
  const atomic_ref<std::uint32_t, reach> count(tickets);
  if (How != drawn::by_compare_exchange) return count.fetch_add(1, relaxed);
  std::uint32_t found = count.load(relaxed);
  while (!count.compare_exchange(found, found + 1, relaxed)) {
  }
  return found;
}

/// The block with this many tickets before its own sets the counter back, by a plain store.
template <drawn How, unsigned Before>
void set_back(cell32* words) {
  if (draw<How>(words[0]) == Before) words[0] = 0u;
}

constexpr unsigned blocks = 4;

TEST(races_by_observation, whoever_draws_the_last_ticket_sets_the_counter_back) {
  EXPECT_EQ(race_of(set_back<drawn::by_add, blocks - 1>, blocks), "");
  EXPECT_EQ(race_of(set_back<drawn::by_compare_exchange, blocks - 1>, blocks), "");
}

TEST(races_by_observation, whoever_draws_another_may_not) {
  expect_race(race_of(set_back<drawn::by_add, blocks - 2>, blocks), {"plain store", "fetch_add"});
  expect_race(race_of(set_back<drawn::by_compare_exchange, 0>, blocks), {"plain store"});
  expect_race(race_of(set_back<drawn::by_add_of_block_scope, blocks - 1>, blocks),
              {"missing: device scope in both"});
}

/// The leader draws the last ticket; another thread of its block sets the counter back.
template <bool Meets>
void set_back_by_a_mate(cell32* words) {
  auto& is_last = shared_storage<cell32>();
  if (threadIdx.x == 0)
    block_ref(is_last).store(draw<drawn::by_add>(words[0]) == gridDim.x - 1, relaxed);
  if (Meets) __syncthreads();
  if (threadIdx.x == 40 && block_ref(is_last).load(relaxed) == 1) words[0] = 0u;
}

std::string race_of_mates(body what) {
  return race_in([&] {
    words_after(what, {.blocks = blocks, .threads_per_block = 64, .shared_bytes = sizeof(cell32)},
                {8 * far});
  });
}

TEST(races_by_observation, it_is_handed_on_by_a_barrier) {
  EXPECT_EQ(race_of_mates(set_back_by_a_mate<true>), "");
  expect_race(race_of_mates(set_back_by_a_mate<false>), {"plain store", "fetch_add"});
}

}  // namespace
}  // namespace simt_test::observation_race_test
