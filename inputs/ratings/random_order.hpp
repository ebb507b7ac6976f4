// Random permutations of data that is larger than a cache.
#pragma once

#include <inputs/random.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace finesync::inputs {

/// Writes to `out`, in random order, the items that `for_each` passes to its argument; `out` must
/// have room for exactly these. Each item goes to the end of a random bucket, and each bucket,
/// which fits into a cache, is shuffled (P. Sanders, "Random permutations on distributed, external
/// and hierarchical memory", 1998). Exchanging items across all the memory would miss the cache
/// each time. Uses the numbers of `stream` and of the next.
template <class Item, class ForEach>
void in_random_order(std::span<Item> out, std::uint32_t seed, std::uint32_t stream,
                     ForEach&& for_each) {
  constexpr std::size_t bucket_bytes = 1 << 19;
  const auto count = static_cast<std::uint32_t>(out.size());
  const auto buckets = static_cast<std::uint32_t>(out.size_bytes() / bucket_bytes + 1);
  const auto bucket_of = [&](std::uint32_t item) {
    return bounded(random32(seed, stream, item), buckets);
  };
  std::vector<std::uint32_t> ends(buckets);
  for (std::uint32_t i = 0; i < count; ++i) ++ends[bucket_of(i)];
  std::uint32_t first = 0;
  for (std::uint32_t& end : ends) first += std::exchange(end, first);

  std::uint32_t next = 0;
  for_each([&](const Item& item) { out[ends[bucket_of(next++)]++] = item; });

  first = 0;
  for (const std::uint32_t end : ends) {
    for (std::uint32_t i = first; i < end; ++i)
      std::swap(out[i], out[first + bounded(random32(seed, stream + 1, i), i - first + 1)]);
    first = end;
  }
}

}  // namespace finesync::inputs
