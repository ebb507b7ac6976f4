// What an access does: at once and for all (strong), or through store buffers and stale caches as
// the PTX memory model allows (weak).
#pragma once

#include <simt/settings.hpp>
#include <simt/thread.hpp>

#include <memory>
#include <span>

namespace simt {

/// What an access read (for a read-modify-write, the value before), and whether it wrote another
/// value there.
struct effect {
  word value;
  bool changed = false;
};

class memory_mode {
 public:
  virtual ~memory_mode() = default;

  virtual effect access(const thread& by, const operation& op, space where) = 0;
  virtual void fence(const thread& by, memory_order order, scope reach) = 0;

  /// Lets time pass: a pending store may become visible.
  virtual void step() {}

  /// All threads of the block have ended; its place may go to another block.
  virtual void retire(const block_state&) {}

  /// Makes every pending store visible.
  virtual void settle() {}

  /// How often anything that a thread can see has changed its value so far.
  std::uint64_t changes() const { return changes_; }

 protected:
  void note_change() { ++changes_; }

 private:
  std::uint64_t changes_ = 0;
};

/// `blocks` are the resident ones, those of a cluster in a row; they outlive the memory.
std::unique_ptr<memory_mode> make_memory(const settings& s, std::size_t threads,
                                         std::size_t cluster_blocks,
                                         std::span<const block_state> blocks);

/// The access itself, applied to memory here and now; shared by both modes.
effect apply(const operation& op);

/// The value that a read-modify-write leaves behind.
word modified(const operation& op, const word& old);

/// `bytes` (1 to 16) at `address` as a word, and back.
word read_word(const void* address, std::size_t bytes);
void write_word(void* address, std::size_t bytes, const word& value);

}  // namespace simt
