// Weak memory: a store waits in its thread's buffer, then in its block's, before all can see it, in
// any order that keeps each location's own; a block reads through an L1 that nobody else's store
// invalidates. That is what GPUs do, and what release, acquire and scope are there to order:
//   release, block scope:   the thread's buffer empties into the block's
//   release, device scope:  both buffers empty into memory (so it also publishes what other threads
//                           of the block handed to this one: cumulativity)
//   acquire, device scope:  the block's L1 is dropped
// A block is a cluster of its own here, and cluster scope is block scope.
// A fence therefore does here what MEMBAR and CCTL.IVALL do on the device. It is stricter than the
// PTX model in one respect (a release drains at once), so a bug may need several seeds to show.
#pragma once

#include <simt/arena.hpp>
#include <simt/memory.hpp>
#include <simt/random.hpp>

#include <array>
#include <vector>

namespace simt {

class weak_memory final : public memory_mode {
 public:
  weak_memory(std::uint64_t seed, std::size_t threads, std::size_t block_slots,
              const block_state* blocks);

  effect access(const thread& by, const operation& op, space where) override;
  void fence(const thread& by, memory_order order, scope reach) override;
  void step() override;
  void retire(const block_state& block) override;
  void settle() override;

 private:
  struct pending_store {
    void* address;
    word value;
    std::uint8_t bytes;
    space where;
  };
  using store_buffer = std::vector<pending_store>;

  /// A 32-byte sector as the block last fetched it.
  struct cached_sector {
    std::uint64_t tag = ~std::uint64_t{0};
    std::array<std::byte, 32> data{};
  };
  using cache = std::array<cached_sector, 64>;

  std::size_t block_of(const thread& by) const {
    return static_cast<std::size_t>(by.block - blocks_);
  }
  word read(const thread& by, const operation& op, space where);
  word read_through_cache(std::size_t block, const operation& op);
  void update_cache(std::size_t block, const pending_store& store);
  void drop_sector(std::size_t block, const void* address);
  void drop_cache(std::size_t block);

  /// Takes out the oldest store of some location, keeping each location's order, and lets it go on
  /// to the next level.
  void drain_one_of_thread(std::size_t thread);
  void drain_one_of_block(std::size_t block);
  void drain_thread(std::size_t thread);
  void drain_block(std::size_t block);
  void drain_overlapping(const thread& by, const operation& op);
  std::size_t pick_drainable(const store_buffer& buffer);
  void to_next_level(std::size_t block, const pending_store& store);
  void to_memory(const pending_store& store);

  random_source random_;
  const block_state* blocks_;
  std::vector<store_buffer> of_thread_;
  std::vector<store_buffer> of_block_;  ///< the last: of all blocks that have ended
  std::vector<cache> caches_;
  std::vector<std::uint32_t> block_of_thread_;
  std::size_t pending_ = 0;
};

}  // namespace simt
