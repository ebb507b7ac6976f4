#include <simt/fiber.hpp>
#include <simt/host_memory.hpp>

#include <sys/mman.h>

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
  void* range = reserve_addresses(needed, needed).begin;
  // Small pages: a huge page would commit the unused half of every stack.
  madvise(range, needed, MADV_NOHUGEPAGE);
  base_ = static_cast<std::byte*>(range);
  mapped_ = needed;
}

}  // namespace simt
