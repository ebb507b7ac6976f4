// Broken servers of several GPUs are rejected: with a scope that ends at a GPU, a partition that
// blocks disagree about, and broken rings.
#include "busy_servers.hpp"

namespace finesync::test::servers_of_gpus_test {
namespace {

/// The number of schedules with a request that is not served once.
template <class Channel>
unsigned failing(simt::memory_kind memory, unsigned seeds, const std::vector<int>& devices = two) {
  return failing_twin_seeds(memory, seeds,
                            [&] { return complaint_about<Channel>(busy, devices).empty(); });
}

/// Blocks disagree about the server of a key.
class partition_of_each_block : public modulo_partition {
 public:
  using modulo_partition::modulo_partition;
  __device__ destination destination_of(std::uint32_t key) const {
    destination to = modulo_partition::destination_of(key);
    to.server = (to.server + blockIdx.x) % 2;
    return to;
  }
};

TEST(balanced_keys, with_a_server_for_each_client_are_rejected) {
  server_scenario e = busy;
  e.config.clients = 4;
  EXPECT_NE((complaint_about<one_word, partition_of_each_block>(e)), "");
}

// Words between GPUs.

using at_device_scope =
    fast_channel<test_message<1>, wire_slot, message_order::relaxed, scope::device, rings_of_gpus>;

// Words of requests are atomic, so that no race is reported.
TEST(scope_between_gpus, of_a_device_is_rejected) {
  EXPECT_GT(failing<at_device_scope>(weak, 20), 0u);
}

TEST(scope_between_gpus, of_a_device_is_enough_for_two_grids_of_one) {
  EXPECT_EQ(failing<at_device_scope>(weak, 5, twice_one), 0u);
}

// Broken rings.

template <class Slot, scope Scope>
using right_rings = rings_of_gpus<Slot, Scope>;

/// The first block tells where the rings end, not the last one.
template <class Slot, scope Scope>
struct ends_with_the_first : right_rings<Slot, Scope> {
  using right = right_rings<Slot, Scope>;
  using right::right;
  __device__ void sign_off(unsigned thread, unsigned threads) const {
    ends_with_the_first alone = *this;
    alone.clients_here_ = 1;
    alone.right::sign_off(thread, threads);
  }
};

/// Sources share a ring.
template <class Slot, scope Scope>
struct has_one_source : right_rings<Slot, Scope> {
  using right = right_rings<Slot, Scope>;
  using right::right;
  __device__ Slot& slot_to(unsigned server, std::uint32_t position) const {
    return this->ring_on(server, 0, 0)[position % this->ring_];
  }
};

/// Space is given back on the server's GPU.
template <class Slot, scope Scope>
struct gives_back_at_home : right_rings<Slot, Scope> {
  using right = right_rings<Slot, Scope>;
  using right::right;
  struct incoming : right::incoming {
    __device__ incoming(const gives_back_at_home& all, unsigned server, unsigned source)
        : right::incoming(all, server, source), counts_of_another(all.counts_of(server)) {}
    __device__ void give_back(std::uint32_t step) const {
      counts_of_another.template give_back<Scope>(step);
    }
    ring_counts& counts_of_another;
  };
};

/// Space is given back before it is read.
template <class Slot, scope Scope>
struct gives_back_early : right_rings<Slot, Scope> {
  using right = right_rings<Slot, Scope>;
  using right::right;
  struct incoming : right::incoming {
    __device__ incoming(const gives_back_early& all, unsigned server, unsigned source)
        : right::incoming(all, server, source) {
      if (threadIdx.x % 32 == 0) this->give_back(32);
    }
  };
};

/// A server goes when it has not heard of an end.
template <class Slot, scope Scope>
struct ends_unheard_of : right_rings<Slot, Scope> {
  using right = right_rings<Slot, Scope>;
  using right::right;
  struct incoming : right::incoming {
    using as_right = typename right::incoming;
    using as_right::as_right;
    __device__ ring_window look(const ring_window& before) const {
      return {as_right::look(before).reserved, true};
    }
  };
};

template <template <class, scope> class Rings>
using with_rings =
    fast_channel<test_message<1>, wire_slot, message_order::relaxed, scope::system, Rings>;

TEST(broken_rings_of_gpus, are_rejected) {
  EXPECT_GT(failing<with_rings<has_one_source>>(strong, 10), 0u);
  EXPECT_GT(failing<with_rings<gives_back_at_home>>(strong, 10), 0u);
  EXPECT_GT(failing<with_rings<gives_back_early>>(strong, 10), 0u);
  EXPECT_GT(failing<with_rings<ends_unheard_of>>(strong, 10), 0u);
}

TEST(broken_rings_of_gpus, that_end_with_the_first_block_are_rejected) {
  server_scenario e = busy;
  e.config.clients = 4;
  e.messages.senders = sender_set::some_blocks;
  const auto right = [&] { return complaint_about<with_rings<ends_with_the_first>>(e).empty(); };
  expect_rejected(strong, 10, right);
}

TEST(broken_rings_of_gpus, without_a_flaw_pass) {
  EXPECT_EQ(failing<with_rings<right_rings>>(strong, 5), 0u);
}

}  // namespace
}  // namespace finesync::test::servers_of_gpus_test
