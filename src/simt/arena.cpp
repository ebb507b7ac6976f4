#include <simt/arena.hpp>

#include <sys/mman.h>

#include <new>

namespace simt {

namespace {
constexpr std::size_t reserved_bytes = std::size_t{16} << 30;
constexpr std::size_t alignment = 256;
}  // namespace

// The pages are reserved, not committed: only what a run touches costs memory.
arena::arena() {
  void* range = mmap(nullptr, reserved_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(range);
}

arena::~arena() {
  munmap(base_, reserved_bytes);
}

void* arena::allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (rounded > reserved_bytes - used_) throw std::bad_alloc();
  void* memory = base_ + used_;
  used_ += rounded;
  ++live_;
  return memory;
}

void arena::release(void* memory) {
  if (memory == nullptr || --live_ > 0) return;
  madvise(base_, used_, MADV_DONTNEED);
  used_ = 0;
}

arena& global_memory() {
  thread_local arena memory;
  return memory;
}

}  // namespace simt
