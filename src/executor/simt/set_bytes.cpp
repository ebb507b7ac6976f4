// SPDX-License-Identifier: Apache-2.0
#include <simt/set_bytes.hpp>

#include <sys/mman.h>

#include <algorithm>

namespace simt {

namespace {

/// For the bits of an access to the last bytes, which are looked at four bytes at a time.
constexpr std::size_t slack = 4;

constexpr std::size_t bytes_of_bits(std::size_t bytes) {
  return bytes / 8 + slack;
}

}  // namespace

set_bytes::set_bytes(std::size_t bytes)
    : range_(reserve_addresses(bytes_of_bits(bytes), bytes_of_bits(bytes))),
      bits_(static_cast<std::byte*>(range_.begin)) {}

set_bytes::~set_bytes() {
  munmap(range_.begin, range_.bytes);
}

void set_bytes::put_all(std::uint64_t at, std::size_t bytes, bool are_set) {
  const std::uint32_t bits = are_set ? ~std::uint32_t{0} : 0;
  const std::uint64_t end = at + bytes;
  const auto put_until = [&](std::uint64_t stop) {
    for (; at < stop; at += std::min<std::uint64_t>(most_at_once, stop - at))
      put(at, mask(at, std::min<std::uint64_t>(most_at_once, stop - at)), bits);
  };
  put_until(std::min(end, (at + 7) / 8 * 8));
  const std::uint64_t whole = (end - at) / 8;
  std::byte* const first = bits_ + at / 8;
  if (are_set) {
    std::memset(first, 0xff, whole);
  } else {
    // Whole pages are given back to the system.
    constexpr std::size_t page = 4096;
    const auto into = static_cast<std::size_t>(first - static_cast<std::byte*>(range_.begin));
    const std::size_t begin = std::min((into + page - 1) / page * page, into + whole);
    const std::size_t stop = std::max((into + whole) / page * page, begin);
    if (begin < stop) madvise(bits_ + begin, stop - begin, MADV_DONTNEED);
    std::memset(first, 0, begin - into);
    std::memset(bits_ + stop, 0, into + whole - stop);
  }
  at += 8 * whole;
  put_until(end);
}

bool set_bytes::has_any_of(std::uint64_t at, std::size_t bytes) const {
  const std::byte* const first = bits_ + at / 8;
  return std::any_of(first, first + (bytes + 7) / 8,
                     [](std::byte bits) { return bits != std::byte{}; });
}

void set_bytes::fill(std::uint64_t at, std::size_t bytes) {
  put_all(at, bytes, true);
}

void set_bytes::clear(std::uint64_t at, std::size_t bytes) {
  put_all(at, bytes, false);
}

void set_bytes::copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  if (to < from + bytes && from < to + bytes) return fill(to, bytes);
  for (std::size_t done = 0; done < bytes; done += most_at_once) {
    const std::size_t some = std::min(most_at_once, bytes - done);
    const std::uint32_t known = bits_at(from + done) >> (from + done) % 8;
    put(to + done, mask(to + done, some), known << (to + done) % 8);
  }
}

}  // namespace simt
