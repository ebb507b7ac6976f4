// SPDX-License-Identifier: Apache-2.0
// Weak memory. A store waits in its thread's buffer, then in its block's, then in its cluster's,
// before all threads can see it. It may wait in any order that keeps each location's own. A block
// reads global memory through an L1 that other blocks' stores do not invalidate. GPUs do the same,
// and release, acquire and scope order it:
//|  release, block scope:    what the thread stores later leaves its buffer after what is there
//|  release, cluster scope:  and leaves the block's buffer after what is then there
//|  release, device scope:   and leaves the cluster's (so it also comes after what other threads of
//|                           the block handed to this one: cumulativity)
//|  seq_cst, barriers, read-modify-writes after a release: these buffers empty at once
//|  acquire, wider scopes:   the L1's content is out of date for the thread, and for threads of
//|                           the block that later acquire from it
//|  acquire, block scope:    what is out of date for the thread of the block that released is so
//|                           for this one
//|  read past the L1:         the block's copy of what is read goes
// In a launch without clusters, cluster scope is block scope, and there is no third buffer. A store
// to shared memory waits only in buffers that separate threads which can access it: in its
// thread's, and with clusters also in its block's.
//
// A launch on several GPUs has another buffer and a cache for each, its L2. Its threads read
// through it what they read past their L1 at less than system scope:
//|  release, system scope:   also leaves the GPU's buffer after what is then there
//|  acquire, system scope:   also the L2's content is out of date for the thread, and for threads
//|                           of the GPU that later acquire from it
//|  read at system scope:    also the GPU's copy of what is read goes
//|  read-modify-writes at device scope: atomic only for the GPU
// All blocks of such a launch are resident.
//
// A sequentially consistent fence does here what MEMBAR and CCTL.IVALL do on the device; a release
// only orders, as PTX has it, so that a later load of the thread may overtake what it has released.
#pragma once

#include <simt/grid_layout.hpp>
#include <simt/memory/memory_mode.hpp>
#include <simt/memory/sector_cache.hpp>
#include <simt/random.hpp>

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace simt {

class weak_memory final : public memory_mode {
 public:
  /// \param layout, blocks: those resident, cluster by cluster; both outlive the memory.
  weak_memory(std::uint64_t seed, std::size_t threads, std::size_t cluster_blocks,
              const grid_layout& layout, std::span<const block_state> blocks);

  effect access(const thread& by, const operation& op, space where, const void* site) override;
  void fence(const thread& by, memory_order order, scope reach) override;
  void publish(const thread& by, scope reach) override;
  void publish_released(const thread& by) override;
  void step() override;
  void retire(const block_state& block) override;
  void settle() override;

 private:
  /// The buffers on the way to memory: of the thread, the block, the cluster, the GPU.
  static constexpr std::size_t stages = 4;
  using releases_by_stage = std::array<std::uint32_t, stages>;

  struct pending_store {
    void* address;
    word value;
    std::uint8_t bytes;
    space where;
    std::uint32_t block;         ///< place of its thread's block
    std::uint32_t thread;        ///< its slot
    releases_by_stage releases;  ///< by its thread before it
    std::uint32_t epoch = 0;     ///< leaves its buffer only after all of earlier ones
  };

  struct store_buffer {
    std::vector<pending_store> stores;  ///< in the order of their arrival, so also of their epochs
    std::uint32_t epoch = 0;            ///< of the last to arrive
  };

  /// The releases of a thread that no barrier and no fence has made visible by emptying buffers.
  struct release_marks {
    releases_by_stage made{};     ///< so far, by the stages that each of them orders
    releases_by_stage arrived{};  ///< the most that a store brought with it to that stage
    std::optional<scope> widest;  ///< of those whose stores may still be in a buffer
  };

  // Buffers are numbered: those of threads, of blocks, of clusters, of several GPUs, and one for
  // the stores of ended blocks. The number after the last is memory itself.
  std::size_t of_block(std::size_t block) const { return first_block_ + block; }
  std::size_t of_cluster(std::size_t block) const {
    return first_cluster_ + block / cluster_blocks_;
  }
  std::size_t of_gpu(std::size_t block) const { return first_gpu_ + gpu_of(block); }
  std::size_t of_the_ended() const { return buffers_.size() - 1; }
  std::size_t memory() const { return buffers_.size(); }
  std::size_t after(std::size_t buffer, const pending_store& store) const;
  std::size_t stage_of(std::size_t buffer) const;

  std::size_t place_of(const block_state& block) const {
    return static_cast<std::size_t>(&block - blocks_.data());
  }
  std::size_t block_of(const thread& by) const { return place_of(*by.block); }
  std::size_t gpu_of(std::size_t block) const { return layout_.gpu_of(blocks_[block].number); }
  bool has_clusters() const { return cluster_blocks_ > 1; }
  bool has_several_gpus() const { return layout_.has_several_gpus(); }
  bool within_block(scope reach) const {
    return reach == scope::block || (reach == scope::cluster && !has_clusters());
  }
  bool within_gpu(scope reach) const { return has_several_gpus() && reach < scope::system; }

  pending_store made_pending(const thread& by, const operation& op, const word& value, space where);
  /// A release hands on which sectors are out of date.
  void publish_view(const thread& by, scope reach);
  /// A release that only orders.
  void mark(const thread& by, scope reach);
  void store(const thread& by, const operation& op, space where);
  effect modify(const thread& by, const operation& op, space where);
  word read(const thread& by, const operation& op, space where);
  /// What the thread finds past its L1.
  word read_beyond_block(const thread& by, const operation& op);

  void enter(std::size_t buffer, pending_store store);
  /// Moves on a store of the first epoch, the oldest of its location.
  void drain_one(std::size_t buffer);
  void drain(std::size_t buffer);
  void drain_overlapping(const thread& by, const operation& op);
  void drain_if_touched(std::size_t buffer, const void* address, std::size_t bytes);
  void drain_sectors_of_cluster(const thread& by, const operation& op);
  /// Moves on what `op` touches, and what has to go before that.
  void drain_touched(std::size_t buffer, const operation& op);
  void send(std::size_t to, const pending_store& store);
  void forget_shared_of(const block_state& ended, std::span<const block_state> its_cluster);
  void leave_behind(std::size_t buffer);

  random_source random_;
  const grid_layout& layout_;
  std::span<const block_state> blocks_;
  std::size_t cluster_blocks_;
  std::size_t first_block_;
  std::size_t first_cluster_;
  std::size_t first_gpu_;
  std::vector<store_buffer> buffers_;
  std::vector<release_marks> marks_;  ///< per thread
  std::size_t pending_ = 0;
  std::uint32_t draining_ = 0;  ///< of 256 chances, those at which a store moves on

  std::vector<sector_cache> caches_;         ///< one per place of a block
  std::vector<sector_cache> l2_;             ///< one per GPU, if there are several
  std::uint32_t leaving_ = 0;                ///< of 256 reads, those with their sector gone
  std::uint64_t now_ = 0;                    ///< acquires so far
  std::vector<cache_view> acquired_;         ///< per thread: older sectors are out of date
  std::vector<cache_view> published_;        ///< per block: latest published by a release
  std::vector<std::uint64_t> published_l2_;  ///< per GPU: latest published at device scope or wider
};

}  // namespace simt
