// SPDX-License-Identifier: Apache-2.0
#include <simt/garbage_pages.hpp>
#include <simt/random.hpp>

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>

#include <unistd.h>

namespace simt {

namespace {

constexpr int access = PROT_READ | PROT_WRITE;

/// A file beyond this limit would end the process by a signal.
bool may_have_file_of(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

}  // namespace

garbage_pages::~garbage_pages() {
  if (file_ >= 0) close(file_);
}

bool garbage_pages::is_open() {
  if (file_ >= 0) return true;
  if (!may_have_file_of(period)) return false;
  const int made = memfd_create("garbage", MFD_CLOEXEC);
  if (made < 0) return false;
  if (ftruncate(made, static_cast<off_t>(period)) == 0) {
    void* const all = mmap(nullptr, period, access, MAP_SHARED, made, 0);
    if (all != MAP_FAILED) {
      fill_with_garbage(static_cast<std::byte*>(all), period, 1);
      munmap(all, period);
      file_ = made;
      return true;
    }
  }
  close(made);
  return false;
}

bool garbage_pages::map(std::byte* begin, std::size_t bytes, std::uint64_t seed) {
  if (!is_open()) return false;
  // Spread: seeds that are neighbours must not begin at pages that are.
  std::size_t from = random_source(seed).next() % (period / page) * page;
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t size = std::min(bytes - at, period - from);
    if (mmap(begin + at, size, access, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file_,
             static_cast<off_t>(from)) == MAP_FAILED) {
      return false;
    }
    at += size;
    from = 0;
  }
  return true;
}

bool map_zeros(std::byte* begin, std::size_t bytes) {
  return mmap(begin, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
              0) != MAP_FAILED;
}

}  // namespace simt
