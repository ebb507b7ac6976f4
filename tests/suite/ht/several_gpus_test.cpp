// Servers of several GPUs in the program: right on any schedule, and what rows and refusals say.
#include <workloads/ht/gpus_servers_makers.hpp>

#include <tests/on_gpu.hpp>
#include <tests/programs_on_gpus.hpp>
#include <tests/refusal.hpp>

#include <utility>

namespace finesync::ht {
namespace several_gpus_test {
namespace {

run_config on_gpus(unsigned gpus) {
  return {.problem = {.collision_factor = 32, .inserts = 300, .table_size = 64},
          .threads_per_block = 32 * gpus,
          .sms = 2,
          .servers = {.percent = 50, .ring = 32, .locks = 32, .local_buffer = 32},
          .gpus = gpus};
}

TEST(servers_of_gpus, put_every_node_in_its_list_on_any_schedule) {
  workload::expect_right_on_gpus(4, [](unsigned gpus) { return make_gpus_server(on_gpus(gpus)); });
}

TEST(servers_of_gpus, may_have_their_keys_by_a_sample_of_the_load) {
  run_config config = on_gpus(2);
  config.servers.partition = partition_policy::balanced;
  workload::expect_right(*make_gpus_server(config));
}

TEST(servers_of_gpus, count_sections_that_touch_no_memory) {
  run_config config = on_gpus(2);
  config.section = section_kind::empty;
  const auto experiment = make_gpus_server(config);
  EXPECT_FALSE(experiment->verify().ok());
  workload::expect_right(*experiment);
}

TEST(servers_of_gpus, count_every_insert) {
  for (const unsigned gpus : {1u, 2u, 4u}) {
    run_config config = on_gpus(gpus);
    config.section = section_kind::count;
    const auto experiment = make_gpus_server(config);
    EXPECT_FALSE(experiment->verify().ok()) << "none is counted yet";
    workload::expect_right(*experiment);
  }
}

TEST(servers_of_gpus, that_never_ran_are_noticed) {
  EXPECT_FALSE(make_gpus_server(on_gpus(2))->verify().ok());
}

TEST(servers_of_gpus, tell_what_ran) {
  const bench::parameters effective = make_gpus_server(on_gpus(4))->effective_parameters();
  const auto number = [&](const char* name) { return std::get<long long>(effective.at(name)); };
  EXPECT_EQ(number("blocks"), 2);
  EXPECT_EQ(number("devices"), 4);
  EXPECT_EQ(number("server_blocks"), 4);
  EXPECT_EQ(number("client_blocks"), 4);
}

TEST(servers_of_gpus, are_by_default_as_many_as_a_balanced_partition_holds) {
  const simt::scoped_settings scoped(test::on_gpu("h200"));
  run_config open = on_gpus(4);
  open.sms = 0;
  open.blocks_per_sm = 0;
  open.servers.percent = 75;
  open.servers.percent_is_open = true;
  const auto servers_of = [](const run_config& config) {
    const bench::parameters ran = make_gpus_server(config)->effective_parameters();
    return std::pair(std::get<long long>(ran.at("server_blocks")),
                     std::get<long long>(ran.at("client_blocks")));
  };
  EXPECT_EQ(servers_of(open), std::pair(4 * 99ll, 4 * 33ll));  // by modulo
  open.servers.partition = partition_policy::balanced;
  EXPECT_EQ(servers_of(open), std::pair(4 * 64ll, 4 * 68ll));
  open.servers.percent_is_open = false;
  const std::string refusal = test::refusal_of<bench::infeasible>([&] { make_gpus_server(open); });
  EXPECT_EQ(refusal, "servers 396: a balanced partition has 256 at most");
}

TEST(servers_of_gpus, say_what_cannot_be) {
  run_config config = on_gpus(2);
  config.sms = 1;  // no client beside the server
  EXPECT_THROW(make_gpus_server(config), bench::infeasible);
  config = on_gpus(2);
  config.threads_per_block = 32;
  const std::string refusal =
      test::refusal_of<launch_error>([&] { make_gpus_server(config)->launch(); });
  EXPECT_EQ(refusal,
            "blocks of 32 threads cannot be servers of 2 GPUs: they need whole warps, one for "
            "each or more");
}

}  // namespace
}  // namespace several_gpus_test
}  // namespace finesync::ht
