// Sections over data of two servers on the device, on both message paths: each runs once, alone
// with both. Servers without locks are rejected.
#include "gpu_fixture.hpp"

#include <finesync/host/gpu.cuh>
#include <finesync/server/lending/nested_server_pool.cuh>
#include <workloads/printed/server/paper_lending/paper_nested_server_pool.cuh>

#include <tests/library/server/pair_ledger.hpp>

#include <cstdint>
#include <string>

namespace finesync::test::nested_gpu_test {
namespace {

constexpr unsigned threads_per_block = 512;

unsigned servers() {
  return static_cast<unsigned>(current_gpu().sms) / 4;
}
unsigned clients() {
  return static_cast<unsigned>(current_gpu().sms) - servers();
}

/// \returns the error of the first wrong run of a few, or nothing.
template <class Pool, class Ledger = ledger, class Config>
std::string run_often(const Config& config, std::uint32_t keys) {
  constexpr std::uint64_t longest_wait_ns = 5'000'000'000;
  Pool pool(config);
  for (int repetition = 0; repetition < 4; ++repetition) {
    pool.reset();
    const std::string complaint = complaint_of_a_run<Ledger>(
        pool, config.clients * threads_per_block, {keys, 4}, longest_wait_ns);
    if (!complaint.empty()) return complaint;
  }
  return "";
}

template <data_placement Placement>
std::string run_on_our_path(std::uint32_t keys) {
  nested_config config;
  config.servers = servers();
  config.clients = clients();
  config.keys = keys;
  config.offload_warps = config.request_warps = threads_per_block / 32 / 2;
  return run_often<nested_server_pool<ledger, nested_protocol<std::uint32_t, Placement>>>(config,
                                                                                          keys);
}

template <class Ledger = ledger, class Protocol = paper_nested_protocol<typename Ledger::datum>>
std::string run_as_printed(std::uint32_t keys, unsigned ring) {
  paper_nested_config config;
  config.servers = servers();
  config.clients = clients();
  config.threads_per_block = threads_per_block;
  config.ring = ring;
  return run_often<paper_nested_server_pool<Ledger, Protocol>, Ledger>(config, keys);
}

class nested_on_gpu : public on_gpu {};

TEST_F(nested_on_gpu, runs_every_section_once_and_alone) {
  for (const std::uint32_t keys : {256u, 8192u}) {
    EXPECT_EQ(run_on_our_path<data_placement::messages>(keys), "");
    EXPECT_EQ(run_on_our_path<data_placement::global_memory>(keys), "");
  }
}

TEST_F(nested_on_gpu, runs_every_section_once_and_alone_as_printed) {
  for (const std::uint32_t keys : {256u, 8192u})
    for (const unsigned ring : {32u, 4096u}) {
      EXPECT_EQ(run_as_printed(keys, ring), "");
      EXPECT_EQ(run_as_printed<ledger_in_place>(keys, ring), "");
    }
}

/// Continues without locks.
struct takes_nothing : paper_nested_protocol<std::uint32_t> {
  __device__ static bool try_take(lock) { return true; }
  __device__ static void leave(lock) {}
  __device__ static void take_back(lock) {}
};

class broken_nested_on_gpu : public on_gpu {};

TEST_F(broken_nested_on_gpu, is_rejected) {
  EXPECT_NE((run_as_printed<ledger, takes_nothing>(256, 4096)), "");
}

}  // namespace
}  // namespace finesync::test::nested_gpu_test
