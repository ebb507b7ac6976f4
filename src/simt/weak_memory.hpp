// Weak memory. A store waits in its thread's buffer, then in its block's, then in its cluster's,
// before all threads can see it. It may wait in any order that keeps each location's own. A block
// reads global memory through an L1 that other blocks' stores do not invalidate. GPUs do the same,
// and release, acquire and scope order it:
//|  release, block scope:    the thread's buffer empties into the block's
//|  release, cluster scope:  the block's buffer empties too, into the cluster's
//|  release, device scope:   all of them empty into memory (so it also publishes what other threads
//|                           of the block handed to this one: cumulativity)
//|  acquire, wider scopes:   the L1's content is out of date for the thread, and for threads of
//|                           the block that later acquire from it
//|  acquire, block scope:    what is out of date for the thread of the block that released is so
//|                           for this one
//|  read past the L1:         the block's copy of what is read goes
// In a launch without clusters, cluster scope is block scope, and there is no third buffer. A store
// to shared memory waits only in buffers that separate threads which can access it: in its
// thread's, and with clusters also in its block's.
//
// A fence does here what MEMBAR and CCTL.IVALL do on the device. It is stricter than the PTX model
// in one respect (a release drains at once), so a bug may need several seeds to show.
#pragma once

#include <simt/l1_cache.hpp>
#include <simt/memory.hpp>
#include <simt/random.hpp>

#include <span>
#include <vector>

namespace simt {

class weak_memory final : public memory_mode {
 public:
  /// \param blocks the resident ones, cluster by cluster; they outlive the memory.
  weak_memory(std::uint64_t seed, std::size_t threads, std::size_t cluster_blocks,
              std::span<const block_state> blocks);

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
    std::uint32_t block;  ///< place of its thread's block
  };
  using store_buffer = std::vector<pending_store>;

  // Buffers are numbered: those of threads, of blocks, of clusters, and one for the stores of ended
  // blocks. The number after the last is memory itself.
  std::size_t of_block(std::size_t block) const { return first_block_ + block; }
  std::size_t of_cluster(std::size_t block) const {
    return first_cluster_ + block / cluster_blocks_;
  }
  std::size_t of_the_ended() const { return buffers_.size() - 1; }
  std::size_t memory() const { return buffers_.size(); }
  std::size_t after(std::size_t buffer, const pending_store& store) const;

  std::size_t place_of(const block_state& block) const {
    return static_cast<std::size_t>(&block - blocks_.data());
  }
  std::size_t block_of(const thread& by) const { return place_of(*by.block); }
  bool has_clusters() const { return cluster_blocks_ > 1; }
  bool within_block(scope reach) const {
    return reach == scope::block || (reach == scope::cluster && !has_clusters());
  }

  void store(const thread& by, const operation& op, space where);
  effect modify(const thread& by, const operation& op, space where);
  word read(const thread& by, const operation& op, space where);

  /// Moves on the oldest store of some location, keeping each location's order.
  void drain_one(std::size_t buffer);
  void drain(std::size_t buffer);
  void drain_overlapping(const thread& by, const operation& op);
  void send(std::size_t to, const pending_store& store);
  void forget_shared_of(const block_state& ended, std::span<const block_state> its_cluster);
  void leave_behind(std::size_t buffer);

  random_source random_;
  std::span<const block_state> blocks_;
  std::size_t cluster_blocks_;
  std::size_t first_block_;
  std::size_t first_cluster_;
  std::vector<store_buffer> buffers_;
  std::size_t pending_ = 0;
  std::uint32_t draining_ = 0;  ///< of 256 chances, those at which a store moves on

  std::vector<l1_cache> caches_;          ///< one per place of a block
  std::uint32_t leaving_ = 0;             ///< of 256 reads, those with their sector gone
  std::uint64_t now_ = 0;                 ///< acquires so far
  std::vector<std::uint64_t> acquired_;   ///< per thread: older sectors are out of date
  std::vector<std::uint64_t> published_;  ///< per block: latest published by a release
};

}  // namespace simt
