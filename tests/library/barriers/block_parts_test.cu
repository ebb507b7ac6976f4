// Parts of blocks: barriers of their own beside one of the grid, and their misuse.
#include "exchange.hpp"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/barriers/block_parts.cuh>

namespace finesync::test::block_parts_test {
namespace {

/// How a part waits for its own threads; `Own`: as it should, or not at all.
template <bool Own>
struct own_barrier {
  __device__ static void sync(const block_part& part) {
    if constexpr (Own) part.sync();
  }
};

/// Part k does k + 1 steps in each round: every thread writes a word and reads that of the next
/// thread of its part. Then all parts of the grid meet, and every thread reads a word of the next
/// part. Two sets of words in turn.
template <class BarrierRef, class Own>
__global__ void steps_and_rounds(BarrierRef barrier, Own, unsigned parts,
                                 cell<std::uint32_t>* inner, cell<std::uint32_t>* outer,
                                 cell<std::uint32_t>* wrong, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  const block_part part(parts);
  const unsigned all = part.number_in_grid() * part.threads();
  const unsigned first = part.index_in_grid() * part.threads();
  const unsigned me = first + part.thread();
  const auto check = [&](std::uint32_t found, std::uint32_t right) {
    if (found != right)
      atomic_ref<std::uint32_t, scope::device>(*wrong).fetch_add(1, memory_order::relaxed);
  };
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned step = 0; step <= part.index(); ++step) {
      const std::uint32_t stamp = 100 * round + step + 1;
      inner[(step % 2) * all + me] = stamp;
      Own::sync(part);
      check(inner[(step % 2) * all + first + (part.thread() + 1) % part.threads()], stamp);
      Own::sync(part);
    }
    outer[(round % 2) * all + me] = round + 1;
    if (!participant.wait()) return;
    check(outer[(round % 2) * all + (me + part.threads()) % all], round + 1);
  }
}

template <class Own = own_barrier<true>>
bool right(unsigned parts, unsigned threads_per_block) {
  const launch_shape shape{.blocks = 3, .threads_per_block = threads_per_block};
  const autotuned_barrier barrier(shape);
  auto inner = zeroed(2 * 3 * threads_per_block);
  auto outer = zeroed(2 * 3 * threads_per_block);
  auto wrong = zeroed(1);
  return ends(steps_and_rounds<autotuned_barrier::ref_type, Own>, shape, barrier, Own{}, parts,
              inner, outer, wrong) &&
         wrong.to_host()[0] == 0;
}

TEST(block_parts, meet_alone_and_all_together) {
  expect_right_in_any_memory(seed_budget(20), [] { return right(1, 64); });
  expect_right_in_any_memory(seed_budget(20), [] { return right(3, 96); });
  expect_right_in_any_memory(seed_budget(20), [] { return right(2, 128); });
}

TEST(block_parts, without_their_barrier_are_rejected) {
  expect_rejected(strong, 20, [] { return right<own_barrier<false>>(2, 128); });
}

TEST(block_parts, must_be_whole_warps_and_at_most_fifteen) {
  EXPECT_THROW(right(3, 64), std::logic_error);
  EXPECT_THROW(right(4, 64), std::logic_error);
  EXPECT_THROW(right(16, 512), std::logic_error);
}

}  // namespace
}  // namespace finesync::test::block_parts_test
