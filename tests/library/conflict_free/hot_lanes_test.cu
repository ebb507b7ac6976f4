// Sections of lanes with a common datum, combined or not, among other sections: no money is lost,
// and every account is visited as often as it is named.
#include "batch_kernels.cuh"

#include <finesync/conflict_free/warp_combined_sections.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::combined_test {
namespace {

/// Two groups of a pair, and the number of sections that lanes ran combined.
struct combined_table {
  cell<std::uint32_t>* accounts;
  unsigned size;  ///< size of a group
  cell<std::uint32_t>* combined;
};

/// Each thread's sections, one after another.
template <class Section>
__global__ void pay_combined(combined_table table, const cell<transfer>* wanted,
                             std::uint32_t number, watchdog_ref watchdog) {
  auto* const held = reinterpret_cast<cell<std::uint32_t>*>(shared_bytes());
  for (unsigned i = threadIdx.x; i < 2 * table.size; i += blockDim.x) held[i] = table.accounts[i];
  __syncthreads();
  const auto warp = lane_group::whole_warp();
  Section section;
  std::uint32_t combined = 0;
  bounded_wait wait(watchdog, awaited::lock);
  for (std::uint32_t begin = 0; begin < number; begin += blockDim.x) {
    bool waits = begin + threadIdx.x < number;
    const transfer entry = wanted[waits ? begin + threadIdx.x : 0];
    const object_pair places = section.places_of(entry);
    cell<std::uint32_t>& first = held[places.first];
    cell<std::uint32_t>& second = held[table.size + places.second];
    const auto run = [&](std::uint32_t& value, std::uint32_t& other) {
      section(value, other, entry);
      waits = false;
    };
    for (unsigned waiting; (waiting = warp.ballot(waits)) != 0;) {
      const finesync::detail::hot_lanes together =
          finesync::detail::find_hot_lanes(waiting, entry, section);
      if (together.lanes != 0 &&
          !finesync::detail::run_hot_lanes(together, first, second, entry, section, run, wait))
        return;
      if (together.has(lane_id()))
        combined += waits ? 0 : 1;
      else if (waits)
        full_empty_pair_of_block<std::uint32_t, Section::empty>(first, second).try_update(run);
      if (warp.any(wait.timed_out())) return;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 2 * table.size; i += blockDim.x) table.accounts[i] = held[i];
  atomic_ref<std::uint32_t, scope::device>(*table.combined)
      .fetch_add(combined, memory_order::relaxed);
}

/// Transfers between few accounts of each group, so threads often use the same ones.
struct common_data {
  unsigned firsts;
  unsigned seconds;

  transfer operator()(std::uint32_t i) const {
    using requests = transfers<round_robin>;
    return {static_cast<std::uint8_t>(requests::random(i, 0) % firsts),
            static_cast<std::uint8_t>(requests::random(i, 1) % seconds),
            static_cast<std::uint8_t>(requests::random(i, 2) % 100),
            requests::random(i, 3) % 2 == 0};
  }
};

constexpr std::uint32_t number = 160;

/// \returns true if no money is lost, and some sections were combined.
template <class Section>
bool combined_pay_right(const common_data& of) {
  constexpr unsigned size = 32;
  std::vector<transfer> orders;
  std::vector<std::uint32_t> expected(2 * size, opening);
  for (std::uint32_t i = 0; i < number; ++i) {
    orders.push_back(of(i));
    expected[orders.back().first_place] += pay_and_count::visit;
    expected[size + orders.back().second_place] += pay_and_count::visit;
  }
  buffer<transfer> wanted(number);
  wanted.copy_from(orders);
  buffer<std::uint32_t> accounts(2 * size);
  accounts.copy_from(std::vector<std::uint32_t>(2 * size, opening));
  auto combined = zeroed(1);
  const watchdog timeout;
  launch_independent(
      pay_combined<Section>,
      {.blocks = 1, .threads_per_block = 64, .shared_bytes = 2 * size * sizeof(std::uint32_t)},
      combined_table{accounts.device_data(), size, combined.device_data()}, wanted.device_data(),
      number, timeout.ref());
  if (timeout.fired() || combined.to_host()[0] == 0) return false;
  const auto held = accounts.to_host();
  std::uint64_t money = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] / pay_and_count::visit != expected[i] / pay_and_count::visit) return false;
    money += pay_and_count::balance_of(held[i]);
  }
  return money == std::uint64_t{opening} * held.size();
}

template <class Section>
unsigned failing(const common_data& of, unsigned seeds) {
  unsigned failed = 0;
  for (const auto memory : {strong, weak})
    failed += failing_seeds(memory, seeds, [&] { return combined_pay_right<Section>(of); });
  return failed;
}

TEST(warp_combined_sections, lose_no_money) {
  const unsigned seeds = seed_budget(50);
  EXPECT_EQ(failing<pay_together>({1, 32}, seeds), 0u);
  EXPECT_EQ(failing<pay_together>({32, 1}, seeds), 0u);
  EXPECT_EQ(failing<pay_together>({1, 1}, seeds), 0u);
  EXPECT_EQ(failing<pay_together>({2, 3}, seeds), 0u);
}

/// Its dry run assumes a transfer that always succeeds.
struct pay_carelessly : pay_together {
  void dry_run(std::uint32_t& first, std::uint32_t& second, transfer which) const {
    if (which == no_op) return;
    const std::uint32_t moved = which.second_pays ? 0u - which.amount : which.amount;
    first += visit - moved;
    second += visit + moved;
  }
};

TEST(warp_combined_sections, are_as_their_rehearsal) {
  EXPECT_GT(failing<pay_carelessly>({1, 32}, 1), 0u);
}

}  // namespace
}  // namespace finesync::test::combined_test
