// Sections over data of two servers on the paper's message path: each runs once, alone with both,
// over many schedules and sizes, with as many messages as printed. Also likely mistakes.
#include <finesync/locks/ttas_lock.cuh>
#include <finesync/server/paper_lending/paper_nested_server_pool.cuh>

#include <gtest/gtest.h>
#include <tests/locks/exploration.hpp>
#include <tests/server/pair_ledger.hpp>

#include <cstdint>
#include <string>

namespace finesync::test::paper_nested_test {
namespace {

constexpr auto strong = simt::memory_kind::strong;
constexpr auto weak = simt::memory_kind::weak;

/// The smallest rings and buffers.
constexpr paper_nested_config smallest{
    .servers = 3, .clients = 1, .threads_per_block = 160, .ring = 32, .locks = 4, .local_buffer = 32};

using right = paper_nested_protocol<std::uint32_t>;

struct scenario {
  paper_nested_config config = smallest;
  bookkeepers clients = {.keys = 7, .sections_each = 1};
};

template <class Protocol = right>
std::string complaint_of(const scenario& e) {
  paper_nested_server_pool<ledger, Protocol> pool(e.config);
  return complaint_of_a_run(pool, e.config.clients * e.config.threads_per_block, e.clients);
}

TEST(paper_nested_servers, run_every_section_once_and_alone) {
  const auto complaint = [] { return complaint_of({}); };
  EXPECT_EQ(first_complaint(strong, seed_budget(30), complaint), "");
  EXPECT_EQ(first_complaint(weak, seed_budget(30), complaint), "");
}

}  // namespace
}  // namespace finesync::test::paper_nested_test
