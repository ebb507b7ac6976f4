// Broken message paths and executions. The check of the correct ones must reject each of them.
#include "delivery.hpp"

#include <finesync/server/fast/channel.cuh>
#include <workloads/printed/server/basic/channel.cuh>
#include <workloads/printed/server/paper/channel.cuh>

#include <tests/library/locks/no_lock.hpp>

namespace finesync {

namespace test {

/// Arguments that choose broken rings for the basic and the paper path.
struct sent_with_early_bit : test_message<6> {
  sent_with_early_bit() = default;
  sent_with_early_bit(const test_message<6>& text) : test_message<6>(text) {}
};
struct read_before_its_bit : test_message<6> {
  read_before_its_bit() = default;
  read_before_its_bit(const test_message<6>& text) : test_message<6>(text) {}
};

}  // namespace test

/// Senders set a request's bit together with its words, and not after their release fence.
template <>
class masked_rings<test::sent_with_early_bit> : public masked_rings<test::test_message<6>> {
  using right = masked_rings<test::test_message<6>>;

 public:
  using right::right;

  struct mask_word : right::ring_word {
    __device__ void fetch_or(std::uint32_t, memory_order) const {}
  };
  __device__ mask_word mask(unsigned server, std::uint32_t position) const {
    return {right::mask(server, position)};
  }
  __device__ void store(unsigned server, std::uint32_t position, const request& from) const {
    right::store(server, position, from);
    right::mask(server, position).fetch_or(mask_bit(position), memory_order::relaxed);
  }
};

/// Receivers read a request when they poll its bit, as they may without an acquire fence.
template <>
class masked_rings<test::read_before_its_bit> : public masked_rings<test::test_message<6>> {
  using right = masked_rings<test::test_message<6>>;

 public:
  using right::right;

  __device__ right::ring_word mask(unsigned server, std::uint32_t position) const {
    found_ = right::load(server, position);
    return right::mask(server, position);
  }
  __device__ request load(unsigned, std::uint32_t) const { return found_; }

 private:
  mutable request found_ = {};  // every thread has its own rings
};

namespace test::broken_test {
namespace {

/// A slot of the fast path with words written and read one by one, and parity only in the last.
template <unsigned Units, bool ParityFirst, memory_order Store, memory_order Load>
struct split_slot {
  cell<std::uint64_t> unit[Units];

  template <class Packed>
  __device__ void store(const Packed& request, std::uint64_t parity) {
    if (ParityFirst) store_last(request, parity);
    for (unsigned i = 0; i + 1 < Units; ++i) word(i).store(request.unit[i], memory_order::relaxed);
    if (!ParityFirst) store_last(request, parity);
  }
  template <class Packed>
  __device__ void load(Packed& found) {
    found.unit[Units - 1] = word(Units - 1).load(Load);
    for (unsigned i = 0; i + 1 < Units; ++i) found.unit[i] = word(i).load(memory_order::relaxed);
  }
  template <class Packed>
  __device__ static bool arrived(const Packed& found, std::uint64_t parity) {
    return found.unit[Units - 1] >> 63 == parity;
  }

 private:
  __device__ atomic_ref<std::uint64_t, scope::device> word(unsigned i) {
    return atomic_ref<std::uint64_t, scope::device>(unit[i]);
  }
  template <class Packed>
  __device__ void store_last(const Packed& request, std::uint64_t parity) {
    word(Units - 1).store(request.unit[Units - 1] | parity << 63, Store);
  }
};

template <unsigned Units, scope = scope::device>
using parity_before_payload = split_slot<Units, true, memory_order::relaxed, memory_order::relaxed>;
/// The effect of st.v4 and ld.v4.
template <unsigned Units, scope = scope::device>
using torn = split_slot<Units, false, memory_order::relaxed, memory_order::relaxed>;
template <unsigned Units, scope = scope::device>
using torn_but_ordered = split_slot<Units, false, memory_order::release, memory_order::acquire>;

/// Accepts a request as complete with only its first wire word.
template <unsigned Units, scope = scope::device>
struct first_word_tells : wire_slot<Units> {
  template <class Packed>
  __device__ static bool arrived(const Packed& found, std::uint64_t parity) {
    return found.unit[1] >> 63 == parity;
  }
};

/// Servers that count a step of the ring as free before they have read it.
template <class Argument>
class broken_servers : public fast_channel<Argument> {
  using right = fast_channel<Argument>;

 public:
  using right::right;

  class inbox : public right::inbox {
   public:
    __device__ inbox(const broken_servers& channel, unsigned server, unsigned char* shared,
                     const watchdog_ref& watchdog)
        : right::inbox(channel, server, shared, watchdog) {
      if (threadIdx.x != 0) return;
      constexpr unsigned step = 32;
      channel.rings_.counts_of(server).template give_back<scope::device>(step);
    }
  };
};

/// Clients that send a half of a local buffer when all entries except one are written.
template <class Argument>
class broken_clients : public fast_channel<Argument> {
  using right = fast_channel<Argument>;

 public:
  using right::right;

  class outbox : public right::outbox {
   public:
    __device__ outbox(const broken_clients& channel, unsigned char* shared,
                      const watchdog_ref& watchdog)
        : right::outbox(channel, shared, watchdog) {
      if (threadIdx.x < channel.config().servers)
        for (auto& filled : this->staging_[threadIdx.x].filled) filled = 1;
      __syncthreads();
    }
  };
};

constexpr auto contended =
    server_scenario::of({.servers = 1, .clients = 2, .ring = 64, .locks = 4, .local_buffer = 64},
                        64, {.senders = sender_set::uneven, .most = 5, .keys = 3});

/// For the basic path, where many senders are slow.
constexpr auto calm =
    server_scenario::of({.servers = 1, .clients = 2, .ring = 32, .locks = 4, .local_buffer = 64},
                        32, contended.messages);

/// Number of first seeds on which requests of `Words` words after the key are not served correctly.
template <class Channel, class Execution, unsigned Words>
unsigned failing(simt::memory_kind memory, unsigned seeds = 100,
                 const server_scenario& e = contended) {
  constexpr std::uint64_t longest_wait_ns = 2'000'000;
  return failing_seeds(
      memory, seeds,
      [&] {
        return run<Channel, Execution, message_service<Words, false>>(e, longest_wait_ns).empty();
      },
      races::pass);
}

template <class Argument>
unsigned failing_basic(simt::memory_kind memory, unsigned seeds = 100) {
  return failing<basic_channel<Argument>, run_each<block_lock>, 6>(memory, seeds, calm);
}
template <class Argument>
unsigned failing_paper(simt::memory_kind memory, unsigned seeds = 100) {
  return failing<paper_channel<Argument>, run_each<block_lock>, 6>(memory, seeds);
}

template <template <unsigned, scope> class Slot, unsigned Words>
unsigned failing_with(simt::memory_kind memory, unsigned seeds = 100) {
  return failing<fast_channel<test_message<Words>, Slot>, run_each<block_lock>, Words>(memory,
                                                                                       seeds);
}

TEST(broken, parity_before_the_payload_is_rejected) {
  EXPECT_GT((failing_with<parity_before_payload, 3>(strong)), 0u);
  EXPECT_GT((failing_with<parity_before_payload, 6>(strong)), 0u);
}

TEST(broken, a_torn_store_is_rejected_in_weak_memory) {
  EXPECT_GT((failing_with<torn, 3>(weak)), 0u);
}

TEST(broken, strong_memory_hides_the_tear) {
  EXPECT_EQ((failing_with<torn, 3>(strong)), 0u);
}

TEST(broken, a_wire_word_without_parity_is_rejected) {
  EXPECT_GT((failing_with<first_word_tells, 6>(strong)), 0u);
}

TEST(broken, space_given_back_before_it_is_read_is_rejected) {
  EXPECT_GT((failing<broken_servers<test_message<3>>, run_each<block_lock>, 3>(strong, 10)), 0u);
}

TEST(broken, a_half_buffer_sent_before_it_is_full_is_rejected) {
  EXPECT_GT((failing<broken_clients<test_message<3>>, run_each<block_lock>, 3>(strong)), 0u);
}

TEST(broken, a_ready_bit_before_the_release_fence_is_rejected_in_weak_memory) {
  EXPECT_GT(failing_basic<sent_with_early_bit>(weak), 0u);
  EXPECT_GT(failing_paper<sent_with_early_bit>(weak), 0u);
}

TEST(broken, strong_memory_hides_the_early_bit) {
  EXPECT_EQ(failing_basic<sent_with_early_bit>(strong, seed_budget(100)), 0u);
  EXPECT_EQ(failing_paper<sent_with_early_bit>(strong, seed_budget(100)), 0u);
}

TEST(broken, a_request_read_before_its_bit_is_rejected) {
  EXPECT_GT(failing_basic<read_before_its_bit>(strong), 0u);
}

TEST(broken, sections_without_a_lock_are_rejected) {
  EXPECT_GT((failing<fast_channel<test_message<1>>, run_each<no_lock>, 1>(strong)), 0u);
  EXPECT_GT((failing<fast_channel<test_message<1>>, combine_by_key<no_lock>, 1>(strong)), 0u);
}

TEST(broken, the_same_unbroken_pass) {
  const unsigned seeds = seed_budget(100);
  EXPECT_EQ((failing_with<wire_slot, 3>(weak, seeds)), 0u);
  EXPECT_EQ((failing_with<wire_slot, 6>(weak, seeds)), 0u);
  EXPECT_EQ((failing_with<torn_but_ordered, 3>(weak, seeds)), 0u);
  EXPECT_EQ(failing_basic<test_message<6>>(weak, seeds), 0u);
  EXPECT_EQ(failing_paper<test_message<6>>(weak, seeds), 0u);
  EXPECT_EQ((failing<fast_channel<test_message<1>>, run_each<block_lock>, 1>(strong, seeds)), 0u);
  EXPECT_EQ((failing<fast_channel<test_message<1>>, combine_by_key<block_lock>, 1>(strong, seeds)),
            0u);
}

}  // namespace
}  // namespace test::broken_test
}  // namespace finesync
