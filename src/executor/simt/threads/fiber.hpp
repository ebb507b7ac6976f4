// SPDX-License-Identifier: Apache-2.0
// Stacks and the switch between them: one fiber per CUDA thread, on Boost.Context.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>

namespace simt {

/// Stacks for all resident threads in one reserved range, reused from launch to launch. They have
/// no guard pages, as a kernel does not allow tens of thousands of mappings. Instead the executor
/// checks the stack pointer at every operation and basic block.
class stack_pool {
 public:
  stack_pool() = default;
  ~stack_pool();
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;

  /// Makes room for `count` stacks of at least `bytes` each. \throws out_of_memory.
  void reserve(std::size_t count, std::size_t bytes);

  std::byte* low(std::size_t index) const { return base_ + overflow_room + index * stack_bytes_; }
  std::byte* high(std::size_t index) const { return low(index) + stack_bytes_; }

 private:
  /// Below the first stack: a large array may cross a stack's end before the check detects it.
  static constexpr std::size_t overflow_room = 1 << 20;

  std::byte* base_ = nullptr;
  std::size_t mapped_ = 0;
  std::size_t stack_bytes_ = 0;
};

/// A stack, as AddressSanitizer must know it for the switch to it.
struct stack_range {
  const void* low = nullptr;
  std::size_t bytes = 0;
};

// Around a switch between stacks: AddressSanitizer must know of it. Other builds do nothing.
//
// announce_switch(frames, to): `frames` is where it keeps its own part of the stack that is left;
//     null if no fiber comes back.
// finish_switch(frames): on arrival. Returns the stack that was left.
// begin_on(stack): a fiber begins where another may have been left without an end.
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::size_t stack_factor =
    8;  ///< red zones also surround the executor's variables

void announce_switch(void** frames, const stack_range& to);
stack_range finish_switch(void* frames);
void begin_on(const stack_range& stack);
#else
inline constexpr std::size_t stack_factor = 1;

inline void announce_switch(void**, const stack_range&) {}
inline stack_range finish_switch(void*) {
  return {};
}
inline void begin_on(const stack_range&) {}
#endif

using fiber_context = boost::context::detail::fcontext_t;
using fiber_transfer = boost::context::detail::transfer_t;

}  // namespace simt
