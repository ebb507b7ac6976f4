// The executor's global memory: one reserved range of addresses per OS thread, handed out in order.
// Offsets into it, not addresses, feed every decision, so that a run does not change with address
// randomisation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simt {

class arena {
 public:
  arena();
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// Memory full of garbage, as on a GPU, aligned to 256 bytes. The garbage is another for each
  /// allocation and for each seed of the settings. \throws std::bad_alloc when the range is used
  /// up.
  void* allocate(std::size_t bytes);

  /// Gives one allocation back; space is reused once all of them are gone, which keeps the offsets
  /// of a repeated run the same.
  void release(void* memory);

  const void* base() const { return base_; }

  /// Whether all `bytes` at `address`, 256 at most, lie in one allocation that is in use.
  bool holds(const void* address, std::size_t bytes) const {
    const std::uint64_t at = offset(address);
    if (at >= used_) return false;  // addresses below the base wrap to huge offsets
    const std::size_t end = at % granule + bytes;
    const std::uint16_t* usable = usable_ + at / granule;
    if (end <= *usable) return true;
    return end > granule && *usable == granule && end - granule <= usable[1];
  }

  /// Whether the address is in the range handed out so far, be it in use or not.
  bool contains(const void* address) const { return offset(address) < used_; }

  std::uint64_t offset(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_);
  }

  /// Which allocation an address that is not in use is next to, as the end of a sentence.
  std::string neighbourhood(const void* address) const;

 private:
  /// Allocations begin and end with one, and have an unused one between them.
  static constexpr std::size_t granule = 256;

  struct allocation {
    std::uint64_t offset;
    std::size_t bytes;
    bool in_use;
  };
  /// Sets how much of the allocation's granules may be used: all of it, or nothing.
  void set_usable(const allocation& a);

  std::byte* base_;
  std::uint16_t* usable_;  ///< bytes in use of each granule, from its beginning
  std::size_t used_ = 0;
  std::size_t live_ = 0;
  std::vector<allocation> allocations_;  ///< by offset
};

/// The calling OS thread's global memory.
arena& global_memory();

}  // namespace simt
