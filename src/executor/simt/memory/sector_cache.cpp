// SPDX-License-Identifier: Apache-2.0
#include <simt/memory/sector_cache.hpp>

#include <algorithm>
#include <cstring>

namespace simt {

template <class Part>
void sector_cache::for_each_sector(const void* address, std::size_t bytes, Part part) const {
  const auto* at = static_cast<const std::byte*>(address);
  while (bytes > 0) {
    const std::uint64_t offset = global_.offset(at);
    const std::size_t within = offset % sector_bytes;
    const std::size_t here = std::min(bytes, sector_bytes - within);
    part(at, offset / sector_bytes, within, here);
    at += here;
    bytes -= here;
  }
}

const sector_cache::sector& sector_cache::up_to_date(std::uint64_t tag, const std::byte* data,
                                                     std::uint64_t oldest, std::uint64_t now) {
  sector& s = place_of(tag);
  if (s.tag != tag || s.fetched < oldest) {
    s.tag = tag;
    s.fetched = now;
    std::memcpy(s.data.data(), data, sector_bytes);
  }
  return s;
}

template <class Find>
word sector_cache::read_from(const void* address, std::size_t bytes, Find find) const {
  word found;
  auto* to = reinterpret_cast<std::byte*>(&found);
  for_each_sector(
      address, bytes,
      [&](const std::byte* at, std::uint64_t tag, std::size_t within, std::size_t here) {
        const sector& s = find(tag, at - within);
        std::memcpy(to, s.data.data() + within, here);
        to += here;
      });
  return found;
}

word sector_cache::read(const void* address, std::size_t bytes, std::uint64_t oldest,
                        std::uint64_t now) {
  return read_from(address, bytes,
                   [&](std::uint64_t tag, const std::byte* memory) -> const sector& {
                     return up_to_date(tag, memory, oldest, now);
                   });
}

word sector_cache::read(const void* address, std::size_t bytes, const cache_view& oldest,
                        std::uint64_t now, sector_cache& l2) {
  return read_from(address, bytes,
                   [&](std::uint64_t tag, const std::byte* memory) -> const sector& {
                     const sector& mine = place_of(tag);
                     if (mine.tag == tag && mine.fetched >= oldest.l1) return mine;
                     const sector& below = l2.up_to_date(tag, memory, oldest.l2, now);
                     return up_to_date(tag, below.data.data(), nothing, below.fetched);
                   });
}

void sector_cache::write(const void* address, std::size_t bytes, const word& value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  for_each_sector(address, bytes,
                  [&](const std::byte*, std::uint64_t tag, std::size_t within, std::size_t here) {
                    sector& s = place_of(tag);
                    if (s.tag == tag) std::memcpy(s.data.data() + within, from, here);
                    from += here;
                  });
}

void sector_cache::drop(const void* address, std::size_t bytes) {
  for_each_sector(address, bytes,
                  [&](const std::byte*, std::uint64_t tag, std::size_t, std::size_t) {
                    sector& s = place_of(tag);
                    if (s.tag == tag) s.tag = nothing;
                  });
}

}  // namespace simt
