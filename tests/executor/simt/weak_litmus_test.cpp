// The litmus tests of the literature, as data: the outcomes that weak memory shows. It shows all
// that sequential consistency allows; otherwise a search over its schedules would miss the results
// of a machine without reordering. It shows none that PTX forbids, and of the others those that
// this machine is designed to show. PTX ISA, "Memory Consistency Model"; D. Lustig, S.
// Sahasrabuddhe and O. Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency Model",
// ASPLOS 2019; J. Alglave et al., "GPU Concurrency", ASPLOS 2015.
#include "litmus_program.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace simt_test::weak_litmus_test {
namespace {
template <scope Reach>
__device__ std::uint32_t access(const action& a, cell32& word) {
  const atomic_ref<std::uint32_t, Reach> atomic(word);
  switch (a.what) {
    case action::read:
      return atomic.load(a.order);
    case action::write:
      atomic.store(a.value, a.order);
      return 0;
    case action::swap:
      return atomic.exchange(a.value, a.order);
    default:
      return atomic.fetch_add(a.value, a.order);
  }
}

template <scope Reach>
__device__ void order_by_fence(memory_order order) {
  switch (order) {
    case acquire:
      return fence<acquire, Reach>();
    case release:
      return fence<release, Reach>();
    case acq_rel:
      return fence<acq_rel, Reach>();
    default:
      return fence<seq_cst, Reach>();
  }
}

/// Where the threads of a program are.
enum class placed { in_own_blocks, in_one_block, all_but_the_first_in_one_block };

/// Each thread of the program is the first of a warp; the other lanes only come to barriers.
__global__ void run(const program* all, placed where, cell32* memory, outcome* found) {
  const bool is_alone = where != placed::in_one_block && blockIdx.x == 0;
  if (is_alone && threadIdx.x >= 32) return;
  const unsigned me = blockIdx.x + threadIdx.x / 32;
  for (const action& a : (*all)[me]) {
    if (a.what == action::barrier) {
      __syncthreads();
      continue;
    }
    if (threadIdx.x % 32 != 0) continue;
    cell32& word = memory[a.where * far];
    const bool in_block = a.reach == scope::block;
    std::uint32_t value = 0;
    if (a.what == action::plain_read) {
      value = word;
    } else if (a.what == action::plain_write) {
      word = a.value;
    } else if (a.what == action::fence) {
      in_block ? order_by_fence<scope::block>(a.order) : order_by_fence<scope::device>(a.order);
    } else {
      value = in_block ? access<scope::block>(a, word) : access<scope::device>(a, word);
    }
    if (reads(a.what)) found[me].push_back(value);
  }
}

launch_shape shape_of(unsigned threads, placed where) {
  switch (where) {
    case placed::in_own_blocks:
      return {.blocks = threads, .threads_per_block = 1};
    case placed::in_one_block:
      return {.blocks = 1, .threads_per_block = 32 * threads};
    default:
      return {.blocks = 2, .threads_per_block = 32 * (threads - 1)};
  }
}

std::set<outcome> shown(const program& all, unsigned seeds, placed where) {
  const auto threads = static_cast<unsigned>(all.size());
  std::set<outcome> outcomes;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed, simt::memory_kind::weak));
    const buffer<std::uint32_t> memory = zeroed_words(locations * far);
    std::vector<outcome> found(threads);
    launch_cooperative(run, shape_of(threads, where), &all, where, memory.device_data(),
                       found.data());
    outcome whole;
    for (const outcome& part : found) whole.insert(whole.end(), part.begin(), part.end());
    const std::vector<std::uint32_t> last = memory.to_host();
    for (unsigned i = 0; i < locations; ++i) whole.push_back(last[i * far]);
    outcomes.insert(whole);
  }
  return outcomes;
}

/// The beginning of an outcome: the rest may be anything.
using beginning = outcome;

bool has(const std::set<outcome>& outcomes, const beginning& wanted) {
  return std::any_of(outcomes.begin(), outcomes.end(), [&](const outcome& one) {
    return std::equal(wanted.begin(), wanted.end(), one.begin());
  });
}

enum class judged { forbidden, shown };

struct litmus {
  const char* name;
  program threads;
  beginning relaxed_outcome;
  judged as;
  placed where = placed::in_own_blocks;
};

void PrintTo(const litmus& test, std::ostream* out) {
  *out << test.name;
}

class weak_litmus : public testing::TestWithParam<litmus> {};

constexpr unsigned seeds_of_two = 1500;  // more threads have more outcomes

TEST_P(weak_litmus, shows_what_it_is_to_show) {
  const litmus& test = GetParam();
  const auto others = static_cast<unsigned>(test.threads.size()) - 1;
  const unsigned seeds = seeds_of_two * (others == 0 ? 1 : others * others);
  const std::set<outcome> found = shown(test.threads, seeds, test.where);
  for (const outcome& one : sequentially_consistent(test.threads)) {
    EXPECT_TRUE(found.contains(one)) << "never seen: " << to_string({one}) << "of all "
                                     << to_string(sequentially_consistent(test.threads));
  }
  EXPECT_EQ(has(found, test.relaxed_outcome), test.as == judged::shown) << to_string(found);
  EXPECT_FALSE(has(sequentially_consistent(test.threads), test.relaxed_outcome));
}

constexpr auto seen = judged::shown;
constexpr auto never = judged::forbidden;
constexpr auto block = scope::block;

const std::vector<litmus> published{
    // Message passing: the flag y is seen, the data x is old.
    {"MP", {{w(x, 1), w(y, 1)}, {r(y), r(x)}}, {1, 0}, seen},
    {"MP_plain", {{wp(x, 1), wp(y, 1)}, {rp(y), rp(x)}}, {1, 0}, seen},
    {"MP_rel_acq", {{wp(x, 1), w(y, 1, release)}, {rp(x), r(y, acquire), rp(x)}}, {0, 1, 0}, never},
    {"MP_rel_rlx", {{wp(x, 1), w(y, 1, release)}, {rp(x), r(y), rp(x)}}, {0, 1, 0}, seen},
    {"MP_rlx_acq", {{wp(x, 1), w(y, 1)}, {r(y, acquire), rp(x)}}, {1, 0}, seen},
    {"MP_fences", {{wp(x, 1), f(release), w(y, 1)}, {r(y), f(acquire), rp(x)}}, {1, 0}, never},
    {"MP_fences_of_the_block",
     {{wp(x, 1), f(release, block), w(y, 1)}, {r(y), f(acquire), rp(x)}},
     {1, 0},
     seen},
    {"MP_acquire_for_release",
     {{wp(x, 1), f(acquire), w(y, 1)}, {r(y, acquire), rp(x)}},
     {1, 0},
     seen},
    {"MP_fence_acq",
     {{wp(x, 1), f(release), w(y, 1)}, {rp(x), r(y, acquire), rp(x)}},
     {0, 1, 0},
     never},
    {"MP_rel_fence",
     {{wp(x, 1), w(y, 1, release)}, {rp(x), r(y), f(acquire), rp(x)}},
     {0, 1, 0},
     never},
    {"MP_rel_fence_of_the_block",
     {{wp(x, 1), w(y, 1, release)}, {rp(x), r(y), f(acquire, block), rp(x)}},
     {0, 1, 0},
     seen},
    {"MP_read_of_the_block",
     {{w(x, 1), w(y, 1, release)}, {r(x, relaxed, block), r(y), r(x, relaxed, block)}},
     {0, 1, 0},
     seen},
    {"MP_swaps_rel_acq",
     {{wp(x, 1), swap(y, 1, release)}, {rp(x), swap(y, 2, acquire), rp(x)}},
     {0, 0, 1, 0},
     never},
    {"MP_swaps_rlx_acq",
     {{wp(x, 1), swap(y, 1)}, {rp(x), swap(y, 2, acquire), rp(x)}},
     {0, 0, 1, 0},
     seen},
    {"MP_swaps_rel_rlx",
     {{wp(x, 1), swap(y, 1, release)}, {rp(x), swap(y, 2), rp(x)}},
     {0, 0, 1, 0},
     seen},
    // Store buffering: both miss the other's store.
    {"SB", {{w(x, 1), r(y)}, {w(y, 1), r(x)}}, {0, 0}, seen},
    {"SB_fences", {{w(x, 1), f(seq_cst), r(y)}, {w(y, 1), f(seq_cst), r(x)}}, {0, 0}, never},
    {"SB_fences_of_the_block",
     {{w(x, 1), f(seq_cst, block), r(y)}, {w(y, 1), f(seq_cst, block), r(x)}},
     {0, 0},
     seen},
    {"SB_fences_that_release_and_acquire",
     {{w(x, 1), f(acq_rel), r(y)}, {w(y, 1), f(acq_rel), r(x)}},
     {0, 0},
     seen},
    {"SB_fences_that_release_and_acquire_in_block",
     {{w(x, 1), f(acq_rel, block), r(y)}, {w(y, 1), f(acq_rel, block), r(x)}},
     {0, 0},
     seen,
     placed::in_one_block},
    {"SB_fences_in_block",
     {{w(x, 1), f(seq_cst, block), r(y)}, {w(y, 1), f(seq_cst, block), r(x)}},
     {0, 0},
     never,
     placed::in_one_block},
    {"SB_accesses",
     {{w(x, 1, seq_cst), r(y, seq_cst)}, {w(y, 1, seq_cst), r(x, seq_cst)}},
     {0, 0},
     never},
    {"SB_rel_acq",
     {{w(x, 1, release), r(y, acquire)}, {w(y, 1, release), r(x, acquire)}},
     {0, 0},
     seen},
    {"SB_seq_cst_swaps",
     {{swap(x, 1, seq_cst), r(y, seq_cst)}, {swap(y, 1, seq_cst), r(x, seq_cst)}},
     {0, 0, 0, 0},
     never},
    // The next read-modify-writes of a thread do not overtake what it has released. Nor do the
    // stores that follow them.
    {"MP_fence_and_swap",
     {{wp(x, 1), f(release), swap(y, 1)}, {rp(x), r(y, acquire), rp(x)}},
     {0, 0, 1, 0},
     never},
    {"MP_fence_and_add_of_the_block",
     {{wp(x, 1), f(release, block), add(y, block)}, {rp(x), r(y, acquire, block), rp(x)}},
     {0, 0, 1, 0},
     never,
     placed::in_one_block},
    {"MP_two_releases",
     {{wp(x, 1), f(release), w(y, 1), f(release), w(z, 1)}, {rp(x), r(z, acquire), rp(x), r(y)}},
     {0, 1, 1, 0},
     never},
    {"MP_two_stores_behind_a_release",
     {{wp(x, 1), f(release), w(y, 1), w(z, 1)}, {rp(x), r(z, acquire), rp(x)}},
     {0, 1, 0},
     never},
    {"MP_release_of_the_block_then_of_the_device",
     {{wp(x, 1), w(y, 1, release, block), w(z, 1, release)}, {rp(x), r(z, acquire), r(y), rp(x)}},
     {0, 1, 0},
     never},
    // A mate hands the data to the thread that releases it to the device.
    {"WRC_by_a_mate",
     {{rp(x), r(z, acquire), rp(x)},
      {wp(x, 1), w(y, 1, release, block)},
      {r(y, acquire, block), w(z, 1, release)}},
     {0, 1, 0, 1},
     never,
     placed::all_but_the_first_in_one_block},
    {"WRC_by_a_mate_behind_a_barrier",
     {{rp(x), r(z, acquire), rp(x)}, {wp(x, 1), bar()}, {bar(), f(release), w(z, 1)}},
     {0, 1, 0},
     never,
     placed::all_but_the_first_in_one_block},
    // R, S and 2+2W: a store is overwritten by one that it should follow.
    {"R", {{w(x, 1), w(y, 1)}, {w(y, 2), r(x)}}, {0, 1, 2}, seen},
    {"R_fences", {{w(x, 1), f(seq_cst), w(y, 1)}, {w(y, 2), f(seq_cst), r(x)}}, {0, 1, 2}, never},
    {"S", {{w(x, 2), w(y, 1)}, {r(y), w(x, 1)}}, {1, 2}, seen},
    {"S_rel_acq", {{w(x, 2), w(y, 1, release)}, {r(y, acquire), w(x, 1)}}, {1, 2}, never},
    {"W2_2", {{w(x, 1), w(y, 2)}, {w(y, 1), w(x, 2)}}, {1, 1}, seen},
    {"W2_2_fences",
     {{w(x, 1), f(seq_cst), w(y, 2)}, {w(y, 1), f(seq_cst), w(x, 2)}},
     {1, 1},
     never},
    // Load buffering never shows here, as loads take effect at once.
    {"LB", {{r(x), w(y, 1)}, {r(y), w(x, 1)}}, {1, 1}, never},
    {"LB_fences", {{r(x), f(acq_rel), w(y, 1)}, {r(y), f(acq_rel), w(x, 1)}}, {1, 1}, never},
    // Coherence.
    {"CoRR", {{w(x, 1)}, {r(x), r(x)}}, {1, 0}, never},
    {"CoWW", {{w(x, 1), w(x, 2)}}, {1}, never},
    {"CoRW", {{w(x, 1)}, {r(x), w(x, 2)}}, {1, 1}, never},
    // What a thread has read past the L1, neither it nor, in order, its block reads older again.
    {"CoRR_of_the_block_between_blocks",
     {{w(x, 1)}, {r(x, relaxed, block), r(x), r(x, relaxed, block)}},
     {0, 1, 0},
     never},
    {"CoRR_plain_behind_strong", {{w(x, 1)}, {rp(x), r(x), rp(x)}}, {0, 1, 0}, never},
    {"CoRR_add_of_the_block_behind_strong",
     {{w(x, 1)}, {rp(x), r(x), add(x, block)}},
     {0, 1, 0},
     never},
    {"CoRR_behind_a_barrier",
     {{w(x, 1)}, {r(x), bar()}, {rp(x), bar(), rp(x)}},
     {1, 0, 0},
     never,
     placed::all_but_the_first_in_one_block},
    {"CoRR_behind_a_flag_of_the_block",
     {{w(x, 1)}, {r(x), w(y, 1, release, block)}, {rp(x), r(y, acquire, block), rp(x)}},
     {1, 0, 1, 0},
     never,
     placed::all_but_the_first_in_one_block},
    {"MP_fence_behind_a_relaxed_read",
     {{wp(x, 1), w(y, 1, release)}, {rp(x), r(y), f(acq_rel), rp(x)}},
     {0, 1, 0},
     never},
    // Several writers.
    {"IRIW_fences",
     {{w(x, 1)}, {w(y, 1)}, {r(x), f(seq_cst), r(y)}, {r(y), f(seq_cst), r(x)}},
     {1, 0, 1, 0},
     never},
    {"IRIW_plain",
     {{w(x, 1)}, {w(y, 1)}, {rp(y), r(x), rp(y)}, {rp(x), r(y), rp(x)}},
     {0, 1, 0, 0, 1, 0},
     seen},
    {"WRC_rel_acq",
     {{wp(x, 1), w(y, 1, release)},
      {r(y, acquire), w(z, 1, release)},
      {rp(x), r(z, acquire), rp(x)}},
     {1, 0, 1, 0},
     never},
    {"WRC_rlx", {{w(x, 1)}, {r(x), w(y, 1, release)}, {rp(x), r(y), rp(x)}}, {1, 0, 1, 0}, seen},
    {"ISA2",
     {{wp(x, 1), w(y, 1, release)}, {r(y, acquire), w(z, 1, release)}, {r(z, acquire), rp(x)}},
     {1, 1, 0},
     never},
    {"release_sequence",
     {{wp(x, 1), w(y, 1, release)}, {swap(y, 2)}, {rp(x), r(y, acquire), rp(x)}},
     {1, 0, 2, 0},
     never},
    // Within a block, block scope suffices.
    {"MP_in_block",
     {{wp(x, 1), f(release, block), w(y, 1)}, {rp(x), r(y), f(acquire, block), rp(x)}},
     {0, 1, 0},
     never,
     placed::in_one_block},
    {"MP_in_block_rel_acq",
     {{wp(x, 1), w(y, 1, release, block)}, {rp(x), r(y, acquire, block), rp(x)}},
     {0, 1, 0},
     never,
     placed::in_one_block},
    {"MP_in_block_of_the_device",
     {{wp(x, 1), w(y, 1, release)}, {rp(x), r(y, acquire), rp(x)}},
     {0, 1, 0},
     never,
     placed::in_one_block},
    {"MP_in_block_rlx", {{wp(x, 1), w(y, 1)}, {r(y), rp(x)}}, {1, 0}, seen, placed::in_one_block},
    {"adds_of_the_block", {{add(x, block)}, {add(x, block)}}, {0, 0}, never, placed::in_one_block},
    {"adds_of_the_block_between_blocks", {{add(x, block)}, {add(x, block)}}, {0, 0}, seen},
    {"adds_of_the_device", {{add(x, scope::device)}, {add(x, scope::device)}}, {0, 0}, never}};

INSTANTIATE_TEST_SUITE_P(published, weak_litmus, testing::ValuesIn(published),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace simt_test::weak_litmus_test
