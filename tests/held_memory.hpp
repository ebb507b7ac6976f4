// Device memory of the host executor, byte by byte: what a reset() leaves of the run before.
#pragma once

#include <simt/arena.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::test {

/// All allocations in use.
inline std::vector<std::span<std::byte>> memory_in_use() {
  constexpr std::size_t granule = simt::arena::granule;
  const simt::arena& all = simt::global_memory();
  std::vector<std::span<std::byte>> found;
  bool goes_on = false;
  for (auto* at = static_cast<std::byte*>(const_cast<void*>(all.base())); all.contains(at);
       at += granule) {
    std::size_t bytes = granule;
    while (bytes != 0 && !all.holds(at, bytes)) --bytes;
    if (bytes != 0 && !goes_on) found.emplace_back(at, 0);
    if (bytes != 0) found.back() = {found.back().data(), found.back().size() + bytes};
    goes_on = bytes == granule;
  }
  return found;
}

/// Memory that reset() may leave as it is, by what reports call it, and why.
struct kept_memory {
  std::string_view called;
  const char* reason;
};

inline constexpr kept_memory constants[] = {
    {"'sides of the L2'", "only the constructor writes it"}};
inline constexpr kept_memory written_first[] = {
    {" x sm_place)", "a block writes its own place before it reads it"},
    {"waiter ", "a thread sets up its own node when it queues up"},
    {" x test_item)", "an item is written before its sequence says that it is there"},
};

/// The allocations that have come into use since `before`, as they are now.
class held_memory {
 public:
  explicit held_memory(const std::vector<std::span<std::byte>>& before = {}) {
    for (const std::span<std::byte> each : memory_in_use())
      if (!is_in(before, each)) pieces_.push_back({each, {each.begin(), each.end()}});
  }

  /// Overwrites all of it but `constants`: whatever a run that was broken off may have left.
  void spoil(std::span<const kept_memory> constants, std::byte pattern = std::byte{0xa5}) const {
    for (const piece& each : pieces_)
      if (!is_kept(each, constants)) std::fill(each.memory.begin(), each.memory.end(), pattern);
  }

  /// The first byte that is not as it was, for each allocation that is still in use and not kept;
  /// empty if there is none.
  std::string difference(std::span<const kept_memory> kept) const {
    const auto in_use = memory_in_use();
    std::string found;
    for (const piece& each : pieces_) {
      if (!is_in(in_use, each.memory) || is_kept(each, kept)) continue;
      const auto at = std::mismatch(each.memory.begin(), each.memory.end(), each.bytes.begin());
      if (at.first != each.memory.end()) found += simt::global_memory().place(&*at.first) + "\n";
    }
    return found;
  }

  bool empty() const { return pieces_.empty(); }

 private:
  struct piece {
    std::span<std::byte> memory;
    std::vector<std::byte> bytes;
  };

  static bool is_in(const std::vector<std::span<std::byte>>& all, std::span<std::byte> one) {
    return std::any_of(all.begin(), all.end(), [&](std::span<std::byte> each) {
      return each.data() == one.data() && each.size() == one.size();
    });
  }
  static bool is_kept(const piece& one, std::span<const kept_memory> kept) {
    const std::string called = simt::global_memory().place(one.memory.data());
    return std::any_of(kept.begin(), kept.end(), [&](const kept_memory& each) {
      return called.find(each.called) != std::string::npos;
    });
  }

  std::vector<piece> pieces_;
};

}  // namespace finesync::test
