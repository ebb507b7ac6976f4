// SPDX-License-Identifier: Apache-2.0
// The executor's global memory: one reserved range of addresses per OS thread, allocated in order.
// Every decision depends on offsets into it, not on addresses, so address randomisation does not
// change a run.
#pragma once

#include <simt/garbage_pages.hpp>
#include <simt/host_memory.hpp>
#include <simt/label.hpp>
#include <simt/set_bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simt {

class arena {
 public:
  /// Unit of allocation; an unused granule separates allocations.
  static constexpr std::size_t granule = 256;

  arena();
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  enum class content { garbage, zeros };

  /// Allocates memory full of garbage, as on a GPU, aligned to 256 bytes or a multiple of them. The
  /// garbage differs for each allocation and for each seed of the settings. Large memory takes none
  /// of the computer's until it is written.
  /// \throws out_of_memory as require() does.
  void* allocate(std::size_t bytes, const label& what = {}, std::size_t alignment = granule,
                 content filled_with = content::garbage);

  /// \throws out_of_memory, with the size that fits, unless this many bytes more can be allocated:
  /// the range or the computer's memory may be used up.
  void require(std::size_t bytes) const;

  /// Releases one allocation. Space is reused once all allocations are released, so a repeated run
  /// has the same offsets; or when the range is used up.
  void release(void* memory);

  /// Makes an allocation end earlier.
  void cut(const void* memory, std::size_t bytes);

  /// Memory of the host that an allocation has, too.
  void add_alias(void* host, std::size_t bytes, void* own) {
    aliases_.push_back({static_cast<std::byte*>(host), bytes, static_cast<std::byte*>(own)});
  }
  void remove_alias(const void* host) {
    std::erase_if(aliases_, [=](const alias& one) { return one.host == host; });
  }
  /// The allocation's address for one of such memory; any other as it is.
  void* own_address(void* address) const {
    auto* const at = static_cast<std::byte*>(address);
    for (const alias& one : aliases_)
      if (at >= one.host && at < one.host + one.bytes) return one.own + (at - one.host);
    return address;
  }

  /// From now on, space is reused only when the range is used up, so that accesses to what was
  /// released are found.
  void keep_released() { keeps_released_ = true; }

  /// From now on, the computer's free memory is no limit: programs may allocate what they never
  /// write.
  void overcommit() { overcommits_ = true; }

  /// From now on the arena knows which bytes of the allocation are set: none are yet. All bytes of
  /// other allocations count as set, and of this one, too, if the process has no addresses left for
  /// such knowledge.
  void watch(const void* memory);

  /// Whether one of 1 to 16 bytes of an allocation in use is not set.
  bool has_unset(const void* address, std::size_t bytes) {
    return set_ && !set_->has(offset(address), bytes) && are_watched(offset(address));
  }
  // Given that has_unset():
  /// Whether nothing has set any byte of the allocation.
  bool is_untouched(const void* address);
  /// Whether none of the bytes is set.
  bool are_unset(const void* address, std::size_t bytes) const {
    return !set_->has_any(offset(address), bytes);
  }
  /// A kernel writes 1 to 16 bytes.
  void note_store(const void* address, std::size_t bytes) {
    if (set_) set_->add(offset(address), bytes);
  }
  /// Bytes are set, or as those that they are copied from.
  void note_set(const void* address, std::size_t bytes) {
    if (set_) set_->fill(offset(address), bytes);
  }
  void note_copy(const void* to, const void* from, std::size_t bytes);

  const void* base() const { return range_.begin; }
  std::size_t reserved_bytes() const { return range_.bytes; }

  /// Whether all `bytes` at `address`, at most 256, lie in one allocation that is in use.
  bool holds(const void* address, std::size_t bytes) const {
    const std::uint64_t at = offset(address);
    if (at >= used_) return false;  // addresses below the base wrap to huge offsets
    const std::size_t end = at % granule + bytes;
    const std::uint16_t* usable = usable_ + at / granule;
    if (end <= *usable) return true;
    return end > granule && *usable == granule && end - granule <= usable[1];
  }

  /// Whether the address is in the range allocated so far, in use or not.
  bool contains(const void* address) const { return offset(address) < used_; }

  std::uint64_t offset(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) -
           reinterpret_cast<std::uintptr_t>(range_.begin);
  }

  /// Whether the address is in the reserved range, allocated or not.
  bool reserves(const void* address) const { return offset(address) < range_.bytes; }

  struct extent {
    std::string name;
    std::uint64_t offset;
    std::size_t bytes;
    bool in_use;
  };
  /// The allocation that begins last at or before a reserved address, which may lie past its end.
  std::optional<extent> owner_of(const void* address) const;

  /// Names an address of the range allocated so far: see place_text().
  std::string place(const void* address) const;

  /// What the owner of an address says of it; null if it has no objects.
  const label* objects_at(const void* address) const;

  /// Describes the allocation next to an unused address, as the end of a sentence.
  std::string neighbourhood(const void* address) const;

 private:
  struct allocation {
    std::uint64_t offset;
    std::size_t bytes;
    bool in_use;
    label what;
    bool is_watched = false;
    bool is_touched = false;  ///< known to have a byte that is set
  };
  struct alias {
    std::byte* host;
    std::size_t bytes;
    std::byte* own;
  };
  using allocations = std::vector<allocation>;
  /// The first allocation that begins after the address.
  allocations::const_iterator next_after(const void* address) const;
  allocation& allocation_at(std::uint64_t at) {
    return allocations_[static_cast<std::size_t>(next_after(data() + at) - allocations_.begin()) -
                        1];
  }
  std::size_t number_of(const allocation& a) const {
    return static_cast<std::size_t>(&a - allocations_.data()) + 1;
  }
  /// Takes space of released allocations for one that ends with its distance from the next.
  /// \return its place among them; nothing if none is large enough
  std::optional<std::size_t> reuse(std::size_t bytes, std::size_t alignment);
  void fill(std::byte* begin, std::size_t bytes, content with, std::uint64_t seed);
  /// Whether the allocation there is. If not, bytes around there are marked as set, so that this is
  /// seldom asked.
  bool are_watched(std::uint64_t at);
  /// Marks all bytes of the allocation as usable, or none.
  void set_usable(const allocation& a);

  std::byte* data() { return static_cast<std::byte*>(range_.begin); }

  address_range range_;
  std::uint16_t* usable_;  ///< usable bytes per granule, from its beginning
  std::size_t used_ = 0;
  std::size_t live_ = 0;
  bool keeps_released_ = false;
  bool overcommits_ = false;
  garbage_pages garbage_;
  allocations allocations_;  ///< by offset
  std::vector<alias> aliases_;
  std::optional<set_bytes> set_;  ///< none while nothing is watched
};

/// The calling OS thread's global memory.
arena& global_memory();

}  // namespace simt
