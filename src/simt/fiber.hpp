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

  /// Makes room for `count` stacks of `bytes` each. \throws out_of_memory.
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

using fiber_context = boost::context::detail::fcontext_t;
using fiber_transfer = boost::context::detail::transfer_t;

}  // namespace simt
