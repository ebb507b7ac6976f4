// HeteroSync's load (--writer grows): how much a writer and a reader do, and that what goes wrong
// under it is found.
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/half_warp_lines.cuh>
#include <workloads/semaphore/semaphore_experiment.cuh>
#include <workloads/semaphore/semaphores_makers.hpp>
#include <workloads/semaphore/shares.cuh>

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/semaphores/counted.hpp>
#include <tests/library/semaphores/no_semaphore.hpp>
#include <tests/primitives.hpp>

#include <cstdint>
#include <set>
#include <utility>

namespace finesync::test::load_test {
namespace {

using semaphore::run_config;
using semaphore::share_of_table;
using workload::half_warp_lines;

constexpr unsigned threads = 40;

run_config load(unsigned blocks_per_sm, unsigned ldst, unsigned sms = 0) {
  return {.size = 3,
          .blocks_per_sm = blocks_per_sm,
          .sms = sms,
          .threads_per_block = threads,
          .ldst = ldst,
          .rounds = 3,
          .writer_grows = true};
}

/// Plain accesses of global memory, and block barriers of threads.
struct work {
  std::uint64_t loads = counted(simt::op_kind::plain_load, simt::space::global);
  std::uint64_t stores = counted(simt::op_kind::plain_store, simt::space::global);
  std::uint64_t barriers = counted(simt::op_kind::block_barrier, simt::space::none);
};

__global__ void alone(semaphore::shares_ref table, bool writes, unsigned sections) {
  share_of_table section(table, writes);
  for (unsigned i = 0; i < sections; ++i) section();
}

/// Of one block's section.
work section_of(bool writes, unsigned blocks_per_sm, unsigned ldst) {
  const run_config config = load(blocks_per_sm, ldst);
  const semaphore::table table(config, 1);
  const auto run = [&](unsigned sections) {
    launch_cooperative(alone, {1, config.threads_per_block, share_of_table::shared_bytes},
                       table.ref(), writes, sections);
    return work{};
  };
  const work none = run(0);
  const work once = run(1);
  return {once.loads - none.loads, once.stores - none.stores, once.barriers - none.barriers};
}

TEST(writer, of_an_sm_writes_the_words_of_all_its_blocks) {
  for (const unsigned blocks_per_sm : {1u, 2u, 32u}) {
    for (const unsigned ldst : {1u, 10u}) {
      const work done = section_of(true, blocks_per_sm, ldst);
      EXPECT_EQ(done.loads, blocks_per_sm * ldst * threads) << blocks_per_sm;
      EXPECT_EQ(done.stores, blocks_per_sm * (ldst + 1) * threads) << blocks_per_sm;
      EXPECT_EQ(done.barriers, 0u);
    }
  }
}

TEST(reader, reads_its_own_words_with_a_barrier_after_each) {
  for (const unsigned blocks_per_sm : {1u, 2u, 32u}) {
    const work done = section_of(false, blocks_per_sm, 10);
    EXPECT_EQ(done.loads, 10 * threads);
    EXPECT_EQ(done.stores, 0u);
    EXPECT_EQ(done.barriers, 10 * threads);
  }
}

/// Where each word is the number of its share.
struct share_reader : share_of_table {
  using share_of_table::share_of_table;
  __device__ std::uint32_t found() const { return history_; }
};

/// The first block of an SM writes.
__global__ void read_own_share(semaphore::shares_ref table, cell<std::uint32_t>* sm,
                               cell<std::uint32_t>* found) {
  share_reader section(table, blockIdx.x < gridDim.x / table.shares);
  if (blockIdx.x < gridDim.x / table.shares) return;
  section();
  sm[blockIdx.x] = semaphore::sm_of_block(table);
  found[blockIdx.x] = section.found();
}

__global__ void number_shares(semaphore::shares_ref table, unsigned words_of_share) {
  for (unsigned i = 0; i < table.shares * words_of_share; ++i) table.words[i] = i / words_of_share;
}

/// \param sms 0: the four of the executor's default GPU.
void expect_a_share_each(unsigned sms) {
  const unsigned shares = 4;
  const unsigned writers = sms == 0 ? 4 : sms;
  const unsigned blocks = writers * shares;
  const run_config config = load(shares, 2, sms);
  const semaphore::table table(config, blocks);
  const auto sm = buffer<std::uint32_t>::zeroed(blocks);
  const auto found = buffer<std::uint32_t>::zeroed(blocks);
  launch_independent(number_shares, {1, 1}, table.ref(),
                     static_cast<unsigned>(half_warp_lines::words_of_block(threads, 2)));
  launch_cooperative(read_own_share,
                     {blocks, config.threads_per_block, share_of_table::shared_bytes}, table.ref(),
                     sm.device_data(), found.device_data());
  std::set<std::pair<std::uint32_t, std::uint32_t>> shares_of_sms;
  const auto sm_of_each = sm.to_host();
  const auto numbers = found.to_host();
  for (unsigned block = writers; block < blocks; ++block)
    shares_of_sms.insert({sm_of_each[block], numbers[block]});
  EXPECT_EQ(shares_of_sms.size(), blocks - writers);
}

TEST(reader, of_an_sm_each_read_a_share_of_their_own) {
  expect_a_share_each(0);
}

TEST(reader, of_an_sm_that_is_only_counted_does_too) {
  expect_a_share_each(2);
}

// Two blocks for each of two SMs lie on all four SMs of the GPU.
TEST(writer, is_one_for_each_sm_that_blocks_are_counted_for) {
  for (const unsigned sms : {1u, 2u, 4u}) {
    const run_config config = load(2, 1, sms);
    const semaphore::table table(config, 2 * sms);
    const watchdog timeout;
    launch_cooperative(
        semaphore::contend<share_of_table, no_semaphore, workload::for_rounds, no_observer>,
        {2 * sms, config.threads_per_block, share_of_table::shared_bytes}, no_semaphore{},
        table.ref(), workload::for_rounds{1}, timeout.ref(), no_observer{});
    EXPECT_EQ(table.read().writers.size(), sms);
  }
}

TEST(writer, of_more_sms_than_are_counted_is_refused) {
  EXPECT_THROW(semaphore::make_ticket(load(1, 1, sm_slots + 1)), bench::infeasible);
}

/// Two words of each of two threads, which are right where all are 7.
__global__ void find_torn(semaphore::shares_ref table, unsigned odd_one,
                          cell<std::uint32_t>* torn) {
  if (threadIdx.x == 0)
    for (unsigned i = 0; i < 4; ++i)
      table.words[half_warp_lines::index(i % 2, i / 2, 2)] = i == odd_one ? 8u : 7u;
  __syncthreads();
  share_of_table section(table, false);
  section();
  torn[threadIdx.x] = section.torn();
}

TEST(reader, finds_words_that_differ_in_one_thread_and_between_threads) {
  run_config config = load(1, 2);
  config.threads_per_block = 2;
  const semaphore::table table(config, 1);
  const auto torn = [&](unsigned odd_one) {
    const auto found = buffer<std::uint32_t>::zeroed(2);
    launch_cooperative(find_torn, {1, 2, share_of_table::shared_bytes}, table.ref(), odd_one,
                       found.device_data());
    return found.to_host();
  };
  using each = std::vector<std::uint32_t>;
  EXPECT_EQ(torn(4), (each{0, 0}));
  EXPECT_EQ(torn(2), (each{1, 1}));  // of thread 0, whose history thread 1 does not share
  EXPECT_EQ(torn(1), (each{0, 2}));  // of thread 1
}

/// Notes who reads.
struct asks_for_roles {
  cell<std::uint32_t>* readers;
  cell<std::uint32_t>* writers;

  using acquisition = no_semaphore::acquisition;
  __device__ asks_for_roles for_reader() const { return {readers, readers}; }
  __device__ acquisition enqueue(unsigned) const {
    atomic_ref<std::uint32_t, scope::device>(*writers).fetch_add(1, memory_order::relaxed);
    return {};
  }
  __device__ bool try_enter(acquisition&) const { return true; }
  __device__ void wait(acquisition&) const {}
  __device__ bool leave(acquisition&) const { return true; }
};

TEST(grown_load, tells_readers_from_writers_at_size_1) {
  run_config config = load(3, 1);
  config.size = 1;
  const unsigned blocks = 4 * 3;
  const semaphore::table table(config, blocks);
  const auto roles = buffer<std::uint32_t>::zeroed(2);
  const watchdog timeout;
  launch_cooperative(
      semaphore::contend<share_of_table, asks_for_roles, workload::for_rounds, no_observer>,
      {blocks, config.threads_per_block, share_of_table::shared_bytes},
      asks_for_roles{roles.device_data(), roles.device_data() + 1}, table.ref(),
      workload::for_rounds{config.rounds}, timeout.ref(), no_observer{});
  const auto entered = roles.to_host();
  EXPECT_EQ(entered[0], 4 * 2 * config.rounds);
  EXPECT_EQ(entered[1], 4 * 1 * config.rounds);
}

TEST(grown_load, is_right_with_every_primitive) {
  for (const auto& each : workload::runnable(semaphore::all_semaphores())) {
    for (const unsigned blocks_per_sm : {1u, 3u}) {
      run_config config = load(blocks_per_sm, 2);
      for (const bool backoff : {false, true}) {
        config.backoff = backoff;
        workload::expect_right(*each.make(config));
      }
      config.writers = false;
      workload::expect_right(*each.make(config));
    }
  }
}

TEST(grown_load, needs_loads_and_stores) {
  EXPECT_THROW(semaphore::make_ticket(load(2, 0)), bench::infeasible);
}

/// A semaphore without exclusion.
struct open_door {
  explicit open_door(unsigned) {}
  void reset() {}
  no_semaphore ref() const { return {}; }
};

/// Admits a writer beside one reader.
struct ajar : cas_semaphore<no_backoff> {
  explicit ajar(unsigned size) : cas_semaphore<no_backoff>(size + 1) {}
};

template <class Semaphore>
std::string complaint() {
  const simt::scoped_settings scoped(simt::random_schedule(1));
  return workload::ending(*semaphore::experiment_at<Semaphore>(load(3, 5))).reason;
}

TEST(grown_load, shows_lost_writes_and_torn_reads) {
  const std::string open = complaint<open_door>();
  EXPECT_TRUE(open.ends_with("writes lost")) << open;
  const std::string torn = complaint<ajar>();
  EXPECT_FALSE(torn.empty());
  EXPECT_FALSE(torn.starts_with("0 torn reads")) << torn;
}

/// One writer that has written all words twice, but for one that has another value.
__global__ void write_twice(semaphore::table_ref table, unsigned words, unsigned other,
                            std::uint32_t value) {
  table.writes[0] = 1;
  table.acquisitions[0] = 2;
  for (unsigned i = 0; i < words; ++i) table.words[i] = 2;
  table.words[other] = value;
}

TEST(grown_table, is_consistent_when_the_words_of_all_shares_count_all_writes) {
  const run_config config = load(3, 2);
  const auto words = static_cast<unsigned>(3 * half_warp_lines::words_of_block(threads, 2));
  const auto is_consistent = [&](unsigned other, std::uint32_t value) {
    const semaphore::table table(config, 1);
    launch_independent(write_twice, {1, 1}, table.ref(), words, other, value);
    stream().synchronize();
    return table.read().consistent;
  };
  const unsigned of_no_thread = words - 1;
  const unsigned last =
      of_no_thread - (half_warp_lines::line_words - threads % half_warp_lines::line_words);
  for (const std::uint32_t value : {1u, 2u, 3u}) {
    EXPECT_EQ(is_consistent(last, value), value == 2);
    EXPECT_EQ(is_consistent(0, value), value == 2);
    EXPECT_TRUE(is_consistent(of_no_thread, value));
  }
}

}  // namespace
}  // namespace finesync::test::load_test
