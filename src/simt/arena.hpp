// The executor's global memory: one reserved range of addresses per OS thread, handed out in order.
// Offsets into it, not addresses, feed every decision, so that a run does not change with address
// randomisation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

class arena {
 public:
  arena();
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// Zero-filled memory, aligned to 256 bytes. \throws std::bad_alloc when the range is used up.
  void* allocate(std::size_t bytes);

  /// Gives one allocation back; space is reused once all of them are gone, which keeps the offsets
  /// of a repeated run the same.
  void release(void* memory);

  const void* base() const { return base_; }

  bool contains(const void* address) const {
    return offset(address) < used_;  // addresses below the base wrap to huge offsets
  }
  std::uint64_t offset(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_);
  }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
  std::size_t live_ = 0;
};

/// The calling OS thread's global memory.
arena& global_memory();

}  // namespace simt
