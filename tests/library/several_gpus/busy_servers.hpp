// Servers of several GPUs under as much load as their rings hold, and more: for right ones, and for
// broken ones.
#pragma once

#include "gpus_delivery.hpp"

#include <tests/library/harness/harness.hpp>
#include <tests/library/server/delivery.hpp>

namespace finesync::test::servers_of_gpus_test {

inline const std::vector<int> two{0, 1};
inline const std::vector<int> twice_one{0, 0};

using combined = combine_by_key<block_lock>;
using one_word = gpus_fast_channel<test_message<1>>;

/// All threads of all clients send to both servers, more than their rings hold.
inline constexpr server_scenario busy = {
    .config = {.servers = 2, .clients = 2, .ring = 32, .locks = 4, .local_buffer = 32, .gpus = 2},
    .threads_per_block = 64,
    .messages = {.seed = 1,
                 .senders = sender_set::all,
                 .most = 4,
                 .threads_per_block = 64,
                 .keys = 7,
                 .first_key = 0,
                 .batch = 1,
                 .key_step = 1}};

template <class Channel, class Partition = modulo_partition>
std::string complaint_about(const server_scenario& e, const std::vector<int>& devices = two) {
  constexpr std::uint64_t soon = 500'000;  // before the executor reports a livelock
  return run_on_gpus<Channel, combined, message_service<1, true>, Partition>(devices, e, soon);
}

}  // namespace finesync::test::servers_of_gpus_test
