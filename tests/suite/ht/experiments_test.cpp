// Every primitive for inserts, over random schedules and weak memory, and rejected configurations.
#include <workloads/ht/locks_makers.hpp>
#include <workloads/ht/servers_makers.hpp>

#include <tests/on_gpu.hpp>
#include <tests/primitives.hpp>
#include <tests/refusal.hpp>

#include <stdexcept>

namespace finesync::ht {
namespace {

class experiments : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};

INSTANTIATE_TEST_SUITE_P(locks, experiments, ::testing::ValuesIn(workload::runnable(all_locks())),
                         workload::name_of_primitive);
INSTANTIATE_TEST_SUITE_P(servers, experiments,
                         ::testing::ValuesIn(workload::runnable(all_servers())),
                         workload::name_of_primitive);

/// Whether blocks have private copies of the entries.
bool has_copies() {
  return std::string(experiments::GetParam().name).ends_with("_copies");
}

constexpr run_config small{.problem = {.collision_factor = 32, .inserts = 300, .table_size = 64},
                           .servers = {.percent = 50, .ring = 64, .locks = 32, .local_buffer = 32}};

TEST_P(experiments, put_every_node_in_its_list_on_any_schedule) {
  workload::expect_right_on_schedules(test::seed_budget(60), simt::memory_kind::weak,
                                      [] { return GetParam().make(small); });
}

TEST_P(experiments, are_as_good_after_a_reset) {
  run_config padded = small;
  padded.padded_locks = true;
  padded.section_work = 1;
  workload::expect_right(*GetParam().make(padded));
}

TEST_P(experiments, fill_a_full_gpu_with_more_threads_than_inserts) {
  run_config full = small;
  full.blocks_per_sm = 0;
  const auto experiment = GetParam().make(full);
  experiment->launch();
  EXPECT_TRUE(experiment->verify().ok());
}

TEST_P(experiments, notice_a_table_that_was_filled_twice) {
  if (std::string(GetParam().name).starts_with("server")) return;  // rings need a reset
  const auto experiment = GetParam().make(small);
  experiment->launch();
  experiment->launch();
  EXPECT_FALSE(experiment->verify().ok());
}

TEST_P(experiments, notice_a_table_that_was_never_filled) {
  EXPECT_FALSE(GetParam().make(small)->verify().ok());
}

TEST_P(experiments, refuse_a_grid_that_does_not_fit) {
  run_config huge = small;
  huge.blocks_per_sm = 32;
  const std::string refusal = test::refusal_of<launch_error>([&] { GetParam().make(huge); });
  EXPECT_TRUE(refusal.starts_with("a grid of 128 blocks of 64 threads ")) << refusal;
  EXPECT_NE(refusal.find("cannot be co-resident: at most "), std::string::npos) << refusal;
}

TEST_P(experiments, refuse_a_table_that_no_memory_holds_before_they_fill_it) {
  run_config huge = small;
  huge.problem.table_size = huge.problem.inserts = 0xffffffff;
  if (std::string(GetParam().name) == "private_copies") {
    EXPECT_THROW(GetParam().make(huge), bench::infeasible) << "no block has room for its copies";
    return;
  }
  const std::string refusal = test::refusal_of<device_memory_error>([&] { GetParam().make(huge); });
  EXPECT_TRUE(refusal.starts_with("its data needs 51.5 GB of memory or more")) << refusal;
}

TEST_P(experiments, count_sections_that_touch_no_memory) {
  run_config empty = small;
  empty.section = section_kind::empty;
  if (std::string(GetParam().name) == "lockfree" || has_copies()) {
    EXPECT_THROW(GetParam().make(empty)->launch(), bench::infeasible) << "it has no sections";
    return;
  }
  const auto experiment = GetParam().make(empty);
  EXPECT_FALSE(experiment->verify().ok());
  workload::expect_right(*experiment);
}

TEST_P(experiments, count_every_insert_where_they_own_the_counters) {
  run_config counting = small;
  counting.section = section_kind::count;
  if (std::string(GetParam().name) != "server_fast" && std::string(GetParam().name) != "lockfree" &&
      !has_copies()) {
    EXPECT_THROW(GetParam().make(counting)->launch(), bench::infeasible);
    return;
  }
  const auto experiment = GetParam().make(counting);
  EXPECT_FALSE(experiment->verify().ok());
  workload::expect_right(*experiment);
}

TEST_P(experiments, may_have_blocks_for_a_few_sms_only) {
  run_config few = small;
  few.sms = 3;  // of 4
  const auto blocks_of = [](const bench::experiment& one) {
    return std::get<long long>(one.effective_parameters().at("blocks"));
  };
  const auto experiment = GetParam().make(few);
  EXPECT_EQ(blocks_of(*experiment), 3);
  workload::expect_right(*experiment);
  run_config full = small;
  full.blocks_per_sm = few.blocks_per_sm = 0;
  EXPECT_EQ(blocks_of(*GetParam().make(few)) * 4, blocks_of(*GetParam().make(full)) * 3)
      << "as many on each as fit";
}

TEST(served, grid_is_divided_as_asked) {
  run_config divided = small;
  divided.blocks_per_sm = 2;  // 8 blocks on 4 SMs
  divided.servers.percent = 25;
  const bench::parameters effective = make_server_fast(divided)->effective_parameters();
  EXPECT_EQ(std::get<long long>(effective.at("server_blocks")), 2);
  EXPECT_EQ(std::get<long long>(effective.at("client_blocks")), 6);
  EXPECT_EQ(std::get<long long>(effective.at("blocks")), 8);
  EXPECT_EQ(std::get<long long>(effective.at("ring_requests")), divided.servers.ring);
}

TEST(served, locks_that_are_left_open_are_as_many_as_fit) {
  run_config open = small;
  open.threads_per_block = 512;
  open.servers.locks = 0;
  const auto locks_on = [&](const char* gpu) {
    const simt::scoped_settings scoped(test::on_gpu(gpu));
    return std::get<long long>(make_server_fast(open)->effective_parameters().at("server_locks"));
  };
  EXPECT_EQ(locks_on("h200"), 4096);
  EXPECT_EQ(locks_on("small"), 2048);
}

TEST_P(experiments, tell_the_grid_that_an_open_axis_stands_for) {
  run_config open = small;
  open.blocks_per_sm = 0;
  const bench::parameters effective = GetParam().make(open)->effective_parameters();
  EXPECT_GE(std::get<long long>(effective.at("blocks")), 4);
  EXPECT_EQ(std::get<long long>(effective.at("threads_per_block")), small.threads_per_block);
}

TEST(served, inserts_need_a_possible_configuration) {
  run_config odd = small;
  odd.servers.ring = 48;
  EXPECT_THROW(make_server_fast(odd), bench::infeasible);
  odd = small;
  odd.threads_per_block = 32;  // the paper's leader warp has no follower
  EXPECT_THROW(make_server_paper(odd)->launch(), launch_error);
}

TEST(peers, of_the_gpu_are_refused) {
  EXPECT_THROW(workload::needs_a_gpu(small), bench::infeasible);
}

TEST(observed, run_counts_retries_under_contention) {
  run_config hot = small;
  hot.problem.table_size = 1;
  const auto seen = make_spin(hot)->measure();
  EXPECT_GT(seen.at("lock_retries_per_operation"), 1.0);
  EXPECT_DOUBLE_EQ(seen.at("lock_acquisitions_per_operation"), 1.0);
  EXPECT_EQ(seen.count("lock_transfer_ns"), 0u) << "the executor's clock is nominal";
}

TEST(observed, warp_combining_acquires_less_often_than_it_inserts) {
  run_config hot = small;
  hot.problem.table_size = 1;
  EXPECT_LT(make_warp_combining(hot)->measure().at("lock_acquisitions_per_operation"), 0.5);
}

}  // namespace
}  // namespace finesync::ht
