// Every message path on the device: requests of every size arrive whole and once, also from warps
// whose lanes send at different places. A torn slot is rejected.
#include "gpu_fixture.hpp"

#include <finesync/host/gpu.cuh>

#include <tests/library/server/all_paths.hpp>
#include <tests/library/server/server_scenario.hpp>

#include <string>
#include <type_traits>

namespace finesync::test::server_gpu_test {
namespace {

constexpr unsigned threads_per_block = 512;

/// Two blocks per SM that keep rings and local buffers full, one server per two clients.
server_scenario contended(sender_set senders, unsigned ring) {
  const unsigned blocks = 2 * static_cast<unsigned>(current_gpu().sms);
  return {.config = {.servers = blocks / 3,
                     .clients = blocks - blocks / 3,
                     .ring = ring,
                     .locks = 2048,
                     .local_buffer = 32},
          .threads_per_block = threads_per_block,
          .messages = {.seed = ring,
                       .senders = senders,
                       .most = 16,
                       .threads_per_block = threads_per_block,
                       .keys = 100'000,
                       .first_key = 12345,
                       .batch = 1,
                       .key_step = 1}};
}

/// \returns the error of the first wrong run of a few, or nothing.
template <class Channel, class Execution, class Service>
std::string run_often(const server_scenario& e) {
  constexpr std::uint64_t longest_wait_ns = 5'000'000'000;
  for (int repetition = 0; repetition < 4; ++repetition) {
    const std::string complaint = run<Channel, Execution, Service>(e, longest_wait_ns);
    if (!complaint.empty()) return complaint;
  }
  return "";
}

using single = run_each<block_lock>;
template <class Channel>
using combined = std::conditional_t<Channel::keeps_requests, combine_by_key<block_lock>, single>;

/// Requests of `Words` words in addition to the key.
template <class Path, unsigned Words>
void expect_delivery() {
  using channel = typename Path::template channel<test_message<Words>>;
  for (const unsigned ring : {256u, 8192u}) {
    for (const sender_set senders :
         {sender_set::all, sender_set::uneven, sender_set::some_lanes, sender_set::two_ways}) {
      SCOPED_TRACE("words " + std::to_string(Words) + ", ring " + std::to_string(ring) +
                   ", senders " + std::to_string(static_cast<int>(senders)));
      const server_scenario e = contended(senders, ring);
      EXPECT_EQ((run_often<channel, single, message_service<Words, false>>(e)), "");
      EXPECT_EQ((run_often<channel, combined<channel>, message_service<Words, true>>(e)), "");
    }
  }
}

template <class Path>
class server_on_gpu : public on_gpu {};
TYPED_TEST_SUITE(server_on_gpu, all_paths, path_names);

TYPED_TEST(server_on_gpu, delivers_requests_of_every_size) {
  expect_delivery<TypeParam, 0>();
  expect_delivery<TypeParam, 1>();
  expect_delivery<TypeParam, 2>();  // one word of the 128 bits of a message is spare
  expect_delivery<TypeParam, 3>();
  expect_delivery<TypeParam, 5>();
  expect_delivery<TypeParam, 6>();
}

/// A slot of 128 bits that is read in two accesses, the parity last.
template <unsigned Units, scope = scope::device>
struct torn_slot : wire_slot<Units> {
  template <class Packed>
  __device__ void load(Packed& found) {
    auto* const units = reinterpret_cast<cell<std::uint64_t>*>(this->part);
    for (unsigned i = 0; i < Units; ++i)
      found.unit[i] =
          atomic_ref<std::uint64_t, scope::device>(units[i]).load(memory_order::relaxed);
  }
};

class broken_server_on_gpu : public on_gpu {};

TEST_F(broken_server_on_gpu, is_rejected) {
  const server_scenario e = contended(sender_set::all, 256);
  EXPECT_NE(
      (run_often<fast_channel<test_message<2>, torn_slot>, single, message_service<2, false>>(e)),
      "");
}

}  // namespace
}  // namespace finesync::test::server_gpu_test
