// The scope of a message path applies to every access to its rings: at system scope none has device
// scope, and block scope is rejected.
#include "all_paths.hpp"
#include "delivery.hpp"

#include <finesync/host/machine.cuh>

#include <string>

namespace finesync::test::scope_test {
namespace {

template <scope Scope>
using fast = fast_channel<test_message<1>, wire_slot, message_order::relaxed, Scope>;
template <scope Scope>
using ordered = ordered_fast_channel<test_message<1>, Scope>;
template <scope Scope>
using basic = basic_channel<test_message<1>, Scope>;
template <scope Scope>
using paper = paper_channel<test_message<1>, Scope>;

template <class Channel>
std::string complaint_of_a_run() {
  constexpr unsigned threads = 32 * Channel::min_warps;
  constexpr server_scenario e = {
      .config = {.servers = 1, .clients = 2, .ring = 32, .locks = 4, .local_buffer = 32},
      .threads_per_block = threads,
      .messages = {.seed = 1,
                   .senders = sender_set::uneven,
                   .most = 3,
                   .threads_per_block = threads,
                   .keys = 3,
                   .first_key = 0,
                   .batch = 1,
                   .key_step = 1}};
  return run<Channel, run_each<block_lock>, registry<1, false>>(e);
}

constexpr auto strong = simt::memory_kind::strong;
constexpr auto weak = simt::memory_kind::weak;

/// Without loads, which also read the watchdog.
double operations_at_device_scope() {
  double sum = 0;
  for (const auto& [name, count] : last_launch_counts())
    if (name.find("_device") != std::string::npos && !name.starts_with("load")) sum += count;
  return sum;
}

template <template <scope> class Channel>
void expect_its_scope_everywhere() {
  EXPECT_EQ(first_complaint(strong, 10, complaint_of_a_run<Channel<scope::system>>), "");
  EXPECT_EQ(first_complaint(weak, 10, complaint_of_a_run<Channel<scope::system>>), "");
  EXPECT_NE(first_complaint(strong, 10, complaint_of_a_run<Channel<scope::block>>), "");
  EXPECT_EQ(complaint_of_a_run<Channel<scope::system>>(), "");
  EXPECT_EQ(operations_at_device_scope(), 0);
}

TEST(scope_of_a_path, is_that_of_all_its_accesses) {
  expect_its_scope_everywhere<fast>();
  expect_its_scope_everywhere<ordered>();
  expect_its_scope_everywhere<basic>();
  expect_its_scope_everywhere<paper>();
}

}  // namespace
}  // namespace finesync::test::scope_test
