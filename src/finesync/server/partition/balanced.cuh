// SPDX-License-Identifier: Apache-2.0
// A partition by a sample of the load: for keys with gaps or with favourites. Interface:
// server/partition.cuh.
//
// Use: server_pool<Channel, Execution, balanced_partition>, with a foreseeable_client (below).
// 1. Each block looks at the same few requests. If they show many different keys, key % servers is
//    even enough. That is the partition then, and no block waits.
// 2. Otherwise all threads of the grid count a larger sample, by slots that keys are hashed to. The
//    clients wait for the counts.
// 3. Each client block deals the slots to the servers by these counts (slot_dealer.cuh), into a
//    table in its shared memory. All have the same counts, and so the same table.
// Every launch samples its own load, so the partition follows a load that moves from launch to
// launch. A launch has one partition from beginning to end, by the mean of its load. Where a launch
// has several grids, each counts the same sample for itself, so all have the same partition.
//
// Participants: all threads of all blocks.
// Ordering: the counts are complete for the clients, by a release per counting block and an acquire
//   per client block.
// Progress: a client block waits once, for the blocks that count.
// Residency: all blocks must be resident.
// Traffic: step 2, an addition per warp and slot of the large sample and one per counting block;
//   step 3, 16 KB read per client block.
// Limits: 256 servers; keys below 2^31.
// Reset: zero the memory.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/block_scan.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/partition.cuh"
#include "finesync/server/partition/modulo.cuh"
#include "finesync/server/partition/slot_dealer.cuh"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace finesync::inline FINESYNC_ABI {

/// A client that knows beforehand how many requests all threads will send together, about, and the
/// key of the i-th of them, in any order.
template <class Client>
concept foreseeable_client = requires(const Client client, std::uint32_t i) {
  { client.requests() } -> std::same_as<std::uint32_t>;
  { client.key_of_request(i) } -> std::same_as<std::uint32_t>;
};

/// \tparam SlotBits log2 of the slots: more of them part the keys better, and take longer to deal.
template <unsigned SlotBits>
class partition_by_sample {
 public:
  static constexpr unsigned max_servers = 256;

  /// \throws std::invalid_argument if there are too many servers.
  static std::size_t memory_bytes(const server_config& config) {
    if (config.servers > max_servers) {
      throw std::invalid_argument("servers " + std::to_string(config.servers) +
                                  ": a balanced partition has 256 at most");
    }
    return sizeof(counts);
  }
  __host__ __device__ static std::size_t table_bytes(const server_config&) { return slots; }
  static std::size_t scratch_bytes(const server_config&) { return sizeof(scratch_memory); }

  partition_by_sample(const server_config& config, unsigned char* memory)
      : by_modulo_(config), servers_(config.servers), counts_(reinterpret_cast<counts*>(memory)) {}

  /// Decides, and makes the table of a block that sends; a barrier must precede other uses of
  /// `scratch`. All threads of all blocks, whole warps. \returns false when the watchdog ended the
  /// wait: leave the kernel.
  template <foreseeable_client Client>
  __device__ bool settle(const Client& client, bool sends, unsigned char* table,
                         unsigned char* scratch, const watchdog_ref& watchdog) {
    auto& work = *reinterpret_cast<scratch_memory*>(scratch);
    has_table_ = has_few_keys(client, work);
    if (!has_table_) return true;
    const unsigned counting = count_large_sample(client);
    if (!sends) return true;
    table_ = reinterpret_cast<cell<std::uint8_t>*>(table);
    if (!wait_for_counts(counting, watchdog)) return false;
    deal(work);
    return true;
  }

  __device__ destination destination_of(std::uint32_t key) const {
    if (has_table_) return {table_[slot_of(key)], key};
    return by_modulo_.destination_of(key);
  }
  __device__ std::uint32_t key_of(unsigned server, std::uint32_t local) const {
    return has_table_ ? local : by_modulo_.key_of(server, local);
  }

 protected:  // for the broken variants of the tests
  using global_word = atomic_ref<std::uint32_t, scope::device>;
  using shared_word = atomic_ref<std::uint32_t, scope::block>;

  static constexpr unsigned slots = 1 << SlotBits;
  static constexpr std::uint32_t first_look = slots / 2;
  static constexpr std::uint32_t large_sample = 16 * slots;

  /// The upper bits of a product with 2^32 over the golden ratio, which spreads keys in arithmetic
  /// progression evenly.
  __device__ static unsigned slot_of(std::uint32_t key) {
    return key * 0x9e3779b9u >> (32 - SlotBits);
  }

  struct counts {
    cell<std::uint32_t> of_slot[slots];
    alignas(line_bytes) cell<std::uint32_t> arrived;
  };
  union scratch_memory {
    struct {
      block_scan scan;
      cell<std::uint32_t> of_slot[slots];
    } seen;
    slot_dealer<slots, max_servers> dealer;
  };

  /// Requests to look at. All requests are cut into equal parts, and each part gives one.
  template <class Client>
  class sample {
   public:
    __device__ sample(const Client& client, std::uint32_t wanted)
        : client_(client),
          size_(client.requests() / 4 < wanted ? client.requests() / 4 : wanted),
          part_(size_ == 0 ? 0 : client.requests() / size_) {}

    __device__ std::uint32_t size() const { return size_; }
    __device__ unsigned slot(std::uint32_t i) const {
      return slot_of(client_.key_of_request(i * part_ + below_part(i)));
    }

   private:
    // Looks random, so that no period of the keys meets that of the sample.
    __device__ std::uint32_t below_part(std::uint32_t i) const {
      std::uint32_t mixed = (i ^ i >> 16) * 0x7feb352du;
      mixed = (mixed ^ mixed >> 15) * 0x846ca68bu;
      return __umulhi(mixed ^ mixed >> 16, part_);
    }

    const Client& client_;
    std::uint32_t size_;
    std::uint32_t part_;
  };

  /// Whether the requests' keys are so few, or some so frequent, that the servers' loads would
  /// differ by more than an eighth of the mean (standard deviation). Let p be the keys' shares of
  /// the load. If keys lie at random, the variance of a server's load is sum(p^2) / servers. With n
  /// requests in a sample, two are of the same key n^2 sum(p^2) times, n of them as they are the
  /// same request; and different keys meet in a slot n^2 / slots times.
  template <class Client>
  __device__ bool has_few_keys(const Client& client, scratch_memory& scratch) const {
    auto& seen = scratch.seen;
    for (unsigned slot = thread_rank(); slot < slots; slot += block_threads())
      seen.of_slot[slot] = 0;
    __syncthreads();
    const sample look(client, first_look);
    for (std::uint32_t i = thread_rank(); i < look.size(); i += block_threads())
      shared_word(seen.of_slot[look.slot(i)]).fetch_add(1, memory_order::relaxed);
    __syncthreads();
    std::uint32_t squares = 0;
    for (unsigned slot = thread_rank(); slot < slots; slot += block_threads()) {
      const std::uint32_t count = seen.of_slot[slot];
      squares += count * count;
    }
    std::uint32_t met;
    seen.scan.exclusive_sum(squares, met);
    const std::uint32_t n = look.size();
    const std::uint32_t by_chance = n + n * n / slots;
    return met > by_chance && std::uint64_t{met - by_chance} * servers_ * 64 > std::uint64_t{n} * n;
  }

  /// \returns the number of blocks that count; their counts are released.
  template <class Client>
  __device__ unsigned count_large_sample(const Client& client) const {
    const sample load(client, large_sample);
    const unsigned all = (load.size() + block_threads() - 1) / block_threads();
    const unsigned counting = all < grid_blocks() ? all : grid_blocks();
    if (block_rank() >= counting) return counting;
    for (std::uint32_t i = block_rank() * block_threads() + thread_rank(); i < load.size();
         i += grid_blocks() * block_threads()) {
      const unsigned slot = load.slot(i);
      const lane_group same = lane_group::with_same(slot);
      if (same.is_leader())
        global_word(counts_->of_slot[slot])
            .fetch_add(static_cast<std::uint32_t>(same.size()), memory_order::relaxed);
    }
    __syncthreads();
    if (is_first_of_block()) global_word(counts_->arrived).fetch_add(1, memory_order::release);
    return counting;
  }

  __device__ bool wait_for_counts(unsigned counting, const watchdog_ref& watchdog) const {
    bool in_time = true;
    if (is_first_of_block()) {
      bounded_wait wait(watchdog, awaited::blocks);
      while (in_time && global_word(counts_->arrived).load(memory_order::acquire) != counting)
        in_time = !wait.timed_out();
    }
    return __syncthreads_or(!in_time) == 0;
  }

  __device__ void deal(scratch_memory& scratch) const {
    // An eighth of a request more, for slots that the sample does not have.
    for (unsigned slot = thread_rank(); slot < slots; slot += block_threads())
      scratch.dealer.weight(slot) = 8 * counts_->of_slot[slot] + 1;
    __syncthreads();
    scratch.dealer.deal(servers_, table_);
  }

  modulo_partition by_modulo_;
  unsigned servers_;
  counts* counts_;
  bool has_table_ = false;
  cell<std::uint8_t>* table_ = nullptr;
};

using balanced_partition = partition_by_sample<12>;

}  // namespace finesync::inline FINESYNC_ABI
