// SPDX-License-Identifier: Apache-2.0
// The effect of an access: immediate (strong), or through store buffers and stale caches as the PTX
// memory model allows (weak).
#pragma once

#include <simt/grid_layout.hpp>
#include <simt/settings.hpp>
#include <simt/thread.hpp>

#include <memory>
#include <span>

namespace simt {

/// The value an access read (for a read-modify-write, the old value), and whether it changed
/// memory.
struct effect {
  word value;
  bool changed = false;
};

class memory_mode {
 public:
  virtual ~memory_mode() = default;

  /// \param site the place in the kernel.
  virtual effect access(const thread& by, const operation& op, space where, const void* site) = 0;
  virtual void fence(const thread& by, memory_order order, scope reach) = 0;

  /// A release by arriving at a barrier, which other threads notice without a read.
  virtual void publish(const thread&, scope) {}
  /// A relaxed arrival after release fences.
  virtual void publish_released(const thread&) {}

  /// Advances time: a pending store may become visible.
  virtual void step() {}

  /// All threads of the block have ended; another block may take its place.
  virtual void retire(const block_state&) {}

  /// Makes every pending store visible.
  virtual void settle() {}

  /// Number of changes so far to any value that a thread can see.
  std::uint64_t changes() const { return changes_; }

 protected:
  void note_change() { ++changes_; }

 private:
  std::uint64_t changes_ = 0;
};

/// `blocks` are the resident ones, cluster by cluster; they and the layout outlive the memory.
std::unique_ptr<memory_mode> make_memory(const settings& s, std::size_t threads,
                                         std::size_t cluster_blocks, const grid_layout& layout,
                                         std::span<const block_state> blocks);

/// Applies the access to memory immediately; shared by both modes.
effect apply(const operation& op);

/// The new value of a read-modify-write.
word modified(const operation& op, word old);

/// `bytes` (1 to 16) at `address` as a word, and back.
word read_word(const void* address, std::size_t bytes);
void write_word(void* address, std::size_t bytes, word value);

}  // namespace simt
