// One server for two data at a time: every call gets one reply, from its section, which is alone
// with its data. Also broken variants.
#include <finesync/server/single/single_server.cuh>
#include <inputs/random.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::single_server_test {
namespace {

constexpr std::uint32_t data = 5;
constexpr std::uint32_t turns_each = 3;

/// A datum counts the sections with it as the lower one in its lower half, the others above. The
/// reply is the lower datum's earlier count.
struct counters {
  using datum = std::uint32_t;
  static constexpr datum empty = ~0u;
  struct call {
    std::uint32_t lower;
    std::uint32_t higher;
  };
  __device__ call unpacked(std::uint64_t packed) const {
    return {static_cast<std::uint32_t>(packed & 0xff),
            static_cast<std::uint32_t>(packed >> 8 & 0xff)};
  }
  __device__ std::uint32_t operator()(std::uint32_t& lower, std::uint32_t& higher,
                                      const call& /*asked*/) const {
    const std::uint32_t before = lower & 0xffff;
    lower += 1;
    higher += 1u << 16;
    return before;
  }
};

__host__ __device__ constexpr std::uint64_t call_of(std::uint32_t number) {
  if (inputs::random32(21, 0, number) % 8 == 0) return 0;  // a lane without a call
  const std::uint32_t one = inputs::random32(22, 0, number) % data;
  const std::uint32_t other = (one + 1 + inputs::random32(23, 0, number) % (data - 1)) % data;
  return std::uint64_t{1} << 61 | (one < other ? one | other << 8 : other | one << 8);
}

struct askers {
  cell<std::uint32_t>* told;  ///< by call: the reply, plus one

  __device__ bool operator()(line_client& out, unsigned warp, unsigned /*warps*/) const {
    for (std::uint32_t turn = 0; turn < turns_each; ++turn) {
      const std::uint32_t number = (warp * turns_each + turn) * 32 + lane_id();
      out.post(call_of(number));
      if (!out.wait()) return false;
      if (call_of(number) != 0) told[number] = out.reply() + 1;
    }
    return true;
  }
};

template <class Pair>
std::string complaint_of_a_run(const single_server_config& config) {
  const std::uint32_t calls = config.lines() * turns_each * 32;
  auto values = zeroed(data);
  auto told = zeroed(calls);
  single_server<counters, Pair> server(config);
  const watchdog timeout(100'000'000);
  const std::string complaint = complaint_about_launch(timeout, [&] {
    server.launch(counters{}, values.device_data(), askers{told.device_data()}, timeout.ref());
  });
  if (!complaint.empty()) return complaint;
  std::vector<std::vector<bool>> had(data);
  std::uint32_t seconds = 0;
  for (auto& each : had) each.resize(calls);
  const auto answers = told.to_host();
  std::vector<std::uint32_t> firsts(data, 0);
  for (std::uint32_t number = 0; number < calls; ++number) {
    if (call_of(number) == 0) continue;
    const auto first = static_cast<std::uint32_t>(call_of(number) & 0xff);
    ++firsts[first];
    ++seconds;
    if (answers[number] == 0 || answers[number] > calls || had[first][answers[number] - 1])
      return "call " + std::to_string(number) + " was told " + std::to_string(answers[number]);
    had[first][answers[number] - 1] = true;
  }
  for (std::uint32_t i = 0; i < data; ++i) {
    const std::uint32_t value = values.to_host()[i];
    if ((value & 0xffff) != firsts[i]) return "a section's first datum was lost";
    seconds -= value >> 16;
  }
  return seconds == 0 ? "" : "a section's second datum was lost";
}

template <class Pair>
std::string first_complaint_of(simt::memory_kind memory, unsigned seeds,
                               const single_server_config& config) {
  return first_complaint(memory, seeds, [&] { return complaint_of_a_run<Pair>(config); });
}

constexpr single_server_config small = {
    .data = data, .server_warps = 1, .client_blocks = 2, .client_warps = 1};
constexpr single_server_config uneven = {
    .data = data, .server_warps = 3, .client_blocks = 2, .client_warps = 2};

using right_pair = full_empty_pair<counters::datum, counters::empty, scope::block>;

TEST(single_server, answers_every_call_once) {
  for (const single_server_config& config : {small, uneven}) {
    EXPECT_EQ(first_complaint_of<right_pair>(strong, seed_budget(40), config), "");
    EXPECT_EQ(first_complaint_of<right_pair>(weak, seed_budget(40), config), "");
  }
}

/// Works on values that it has only read.
struct takes_nothing {
  atomic_ref<std::uint32_t, scope::block> one;
  atomic_ref<std::uint32_t, scope::block> other;

  __device__ takes_nothing(cell<std::uint32_t>& lower, cell<std::uint32_t>& higher)
      : one(lower), other(higher) {}

  template <class Section>
  __device__ bool try_one_by_one_together(Section&& section) {
    std::uint32_t value = one.load(memory_order::relaxed);
    std::uint32_t other_value = other.load(memory_order::relaxed);
    section(value, other_value);
    one.store(value, memory_order::relaxed);
    other.store(other_value, memory_order::relaxed);
    return true;
  }
};

/// Runs a section, and reports that it has not.
struct runs_twice : right_pair {
  using right_pair::right_pair;

  template <class Section>
  __device__ bool try_one_by_one_together(Section&& section) {
    bool first = false;
    const auto twice = [&](std::uint32_t& one, std::uint32_t& other) {
      section(one, other);
      first = one % 4 == 1;
    };
    return right_pair::try_one_by_one_together(twice) && !first;
  }
};

TEST(broken_single_server, that_takes_no_data_is_rejected) {
  EXPECT_NE(first_complaint_of<takes_nothing>(strong, 40, small), "");
}

TEST(broken_single_server, that_decides_a_call_twice_is_rejected) {
  EXPECT_NE(first_complaint_of<runs_twice>(strong, 4, small), "");
}

}  // namespace
}  // namespace finesync::test::single_server_test
