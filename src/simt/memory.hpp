// What an access does: at once and for all (strong), or through store buffers and stale caches as
// the PTX memory model allows (weak).
#pragma once

#include <simt/settings.hpp>
#include <simt/thread.hpp>

#include <memory>

namespace simt {

/// What an access read (for a read-modify-write, the value before), and whether it changed memory.
struct effect {
  word value;
  bool changed = false;
};

class memory_mode {
 public:
  virtual ~memory_mode() = default;

  virtual effect access(const thread& by, const operation& op, space where) = 0;
  virtual void fence(const thread& by, memory_order order, scope reach) = 0;

  /// Lets time pass: a pending store may become visible. True when memory changed.
  virtual bool step() { return false; }

  /// Makes every pending store visible. True when there was one.
  virtual bool settle() { return false; }
};

std::unique_ptr<memory_mode> make_memory(const settings& s, std::size_t threads,
                                         std::size_t block_slots, const block_state* blocks);

/// The access itself, applied to memory here and now; shared by both modes.
effect apply(const operation& op);

/// `bytes` (1 to 16) at `address` as a word, and back.
word read_word(const void* address, std::size_t bytes);
void write_word(void* address, std::size_t bytes, const word& value);

}  // namespace simt
