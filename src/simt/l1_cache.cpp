#include <simt/l1_cache.hpp>

#include <algorithm>
#include <cstring>

namespace simt {

template <class Part>
void l1_cache::for_each_sector(const void* address, std::size_t bytes, Part part) const {
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

word l1_cache::read(const void* address, std::size_t bytes, std::uint64_t oldest,
                    std::uint64_t now) {
  word found;
  auto* to = reinterpret_cast<std::byte*>(&found);
  for_each_sector(
      address, bytes,
      [&](const std::byte* at, std::uint64_t tag, std::size_t within, std::size_t here) {
        sector& s = place_of(tag);
        if (s.tag != tag || s.fetched < oldest) {
          s.tag = tag;
          s.fetched = now;
          std::memcpy(s.data.data(), at - within, sector_bytes);
        }
        std::memcpy(to, s.data.data() + within, here);
        to += here;
      });
  return found;
}

void l1_cache::write(const void* address, std::size_t bytes, const word& value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  for_each_sector(address, bytes,
                  [&](const std::byte*, std::uint64_t tag, std::size_t within, std::size_t here) {
                    sector& s = place_of(tag);
                    if (s.tag == tag) std::memcpy(s.data.data() + within, from, here);
                    from += here;
                  });
}

void l1_cache::drop(const void* address, std::size_t bytes) {
  for_each_sector(address, bytes,
                  [&](const std::byte*, std::uint64_t tag, std::size_t, std::size_t) {
                    sector& s = place_of(tag);
                    if (s.tag == tag) s.tag = nothing;
                  });
}

}  // namespace simt
