#include <simt/fiber.hpp>
#include <simt/host_memory.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

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

#ifdef __x86_64__

// On a stack that has been left are the registers that a callee keeps, and the return address.
asm(R"(
  .text
  .globl simt_jump_to
  .hidden simt_jump_to
  .type simt_jump_to, @function
simt_jump_to:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, %rax
  mov %rdi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  mov %rsi, %rdx
  mov %rax, %rdi  # the same as arguments, for main()
  ret
  .size simt_jump_to, . - simt_jump_to
)");

fiber_context make_fiber(std::byte* top, std::size_t, void (*main)(fiber_transfer)) {
  constexpr std::size_t saved = 6;  // registers; then the address of main(), which returns nowhere
  const std::uintptr_t aligned = reinterpret_cast<std::uintptr_t>(top) / 16 * 16;
  auto* const frame = reinterpret_cast<std::uintptr_t*>(aligned) - (saved + 2);
  std::fill_n(frame, saved + 2, 0);
  frame[saved] = reinterpret_cast<std::uintptr_t>(main);
  return frame;
}

#endif

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
