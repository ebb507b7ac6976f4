#include <simt/arena.hpp>
#include <simt/random.hpp>
#include <simt/settings.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace simt {

namespace {

constexpr std::size_t reserved_bytes = std::size_t{16} << 30;

// The pages are reserved, not committed: memory that a run does not touch costs nothing.
void* reserve(std::size_t bytes) {
  void* range = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  return range;
}

constexpr std::size_t table_bytes(std::size_t bytes, std::size_t granule) {
  return bytes / granule * sizeof(std::uint16_t);
}

}  // namespace

arena::arena()
    : base_(static_cast<std::byte*>(reserve(reserved_bytes))),
      usable_(static_cast<std::uint16_t*>(reserve(table_bytes(reserved_bytes, granule)))) {}

arena::~arena() {
  munmap(base_, reserved_bytes);
  munmap(usable_, table_bytes(reserved_bytes, granule));
}

void* arena::allocate(std::size_t bytes) {
  if (bytes > reserved_bytes) throw std::bad_alloc();
  const std::size_t filled = (bytes + granule - 1) / granule * granule;
  const std::size_t taken = filled + granule;
  if (taken > reserved_bytes - used_) throw std::bad_alloc();
  // Spreads the seed's bits: allocations of one seed must not begin alike.
  const std::uint64_t spread = random_source(current_settings().seed).next();
  fill_with_garbage(base_ + used_, filled, spread + allocations_.size());
  allocations_.push_back({used_, bytes, true});
  set_usable(allocations_.back());
  void* memory = base_ + used_;
  used_ += taken;
  ++live_;
  return memory;
}

void arena::release(void* memory) {
  if (memory == nullptr) return;
  if (--live_ > 0) {
    const auto found =
        std::lower_bound(allocations_.begin(), allocations_.end(), offset(memory),
                         [](const allocation& a, std::uint64_t begin) { return a.offset < begin; });
    found->in_use = false;
    set_usable(*found);
    return;
  }
  madvise(base_, used_, MADV_DONTNEED);
  madvise(usable_, table_bytes(used_, granule), MADV_DONTNEED);
  used_ = 0;
  allocations_.clear();
}

void arena::set_usable(const allocation& a) {
  std::uint16_t* usable = usable_ + a.offset / granule;
  const std::size_t whole = a.bytes / granule;
  std::fill_n(usable, whole, static_cast<std::uint16_t>(a.in_use ? granule : 0));
  usable[whole] = static_cast<std::uint16_t>(a.in_use ? a.bytes % granule : 0);
}

std::string arena::neighbourhood(const void* address) const {
  const std::uint64_t at = offset(address);
  const auto after =
      std::upper_bound(allocations_.begin(), allocations_.end(), at,
                       [](std::uint64_t wanted, const allocation& a) { return wanted < a.offset; });
  const auto name = [](const allocation& a) {
    return fmt::format("the device buffer of {} bytes at global memory +{:#x}", a.bytes, a.offset);
  };
  const allocation& before = *(after - 1);  // the first begins at the range's beginning
  if (at < before.offset + before.bytes) {
    return fmt::format("{} bytes into {}{}", at - before.offset, name(before),
                       before.in_use ? ", and beyond its end" : ", which has been freed");
  }
  const std::uint64_t past = at - before.offset - before.bytes;
  if (after != allocations_.end() && after->offset - at < past) {
    return fmt::format("{} bytes before {}", after->offset - at, name(*after));
  }
  return fmt::format("{} bytes past the end of {}", past, name(before));
}

arena& global_memory() {
  thread_local arena memory;
  return memory;
}

}  // namespace simt
