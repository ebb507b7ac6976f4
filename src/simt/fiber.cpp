#include <simt/fiber.hpp>

#include <sys/mman.h>

#include <new>

namespace simt {

stack_pool::~stack_pool() {
  if (base_ != nullptr) munmap(base_, mapped_);
}

void stack_pool::reserve(std::size_t count, std::size_t bytes) {
  stack_bytes_ = bytes;
  const std::size_t needed = count * bytes + overflow_room;
  if (needed <= mapped_) return;
  if (base_ != nullptr) munmap(base_, mapped_);
  base_ = nullptr;
  mapped_ = 0;
  void* range = mmap(nullptr, needed, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) throw std::bad_alloc();
  // Small pages: a huge page would commit the unused half of every stack.
  madvise(range, needed, MADV_NOHUGEPAGE);
  base_ = static_cast<std::byte*>(range);
  mapped_ = needed;
}

}  // namespace simt
