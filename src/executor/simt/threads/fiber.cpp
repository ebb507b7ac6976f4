// SPDX-License-Identifier: Apache-2.0
#include <simt/host_memory.hpp>
#include <simt/threads/fiber.hpp>

#include <sys/mman.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

namespace {

constexpr std::size_t line_bytes = 64;

}  // namespace

stack_pool::~stack_pool() {
  if (base_ != nullptr) munmap(base_, mapped_);
}

void stack_pool::reserve(std::size_t count, std::size_t bytes) {
  // An odd number of cache lines apart, so that the same frames of all threads spread over all
  // sets.
  stack_bytes_ = (bytes + line_bytes - 1) / line_bytes * line_bytes | line_bytes;
  const std::size_t needed = count * stack_bytes_ + overflow_room;
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

#ifdef __SANITIZE_ADDRESS__

void announce_switch(void** frames, const stack_range& to) {
  __sanitizer_start_switch_fiber(frames, to.low, to.bytes);
}

stack_range finish_switch(void* frames) {
  stack_range left;
  __sanitizer_finish_switch_fiber(frames, &left.low, &left.bytes);
  return left;
}

void begin_on(const stack_range& stack) {
  __asan_unpoison_memory_region(stack.low, stack.bytes);
}

#endif

}  // namespace simt
