// SPDX-License-Identifier: Apache-2.0
// The compiler's call at every basic block of a kernel (-fsanitize-coverage=trace-pc). Fibers do
// not provide its three uses: an end to loops that never make a device operation, a check of the
// stack, and the program counter for lockstep execution.
#include <simt/execution.hpp>

#include <cstdint>

extern "C" void __sanitizer_cov_trace_pc();

namespace {

// A function of its own, so that the usual way through the other one needs no stack frame.
[[gnu::noinline]] void look_closer(std::uintptr_t program_counter, std::uintptr_t stack_pointer) {
  if (simt::current == nullptr) {
    // Host code, which has no settings yet where it may still change those of a program. No
    // function is called: it might be one that calls this one.
    simt::watched.left = INT32_MAX;
  } else {
    simt::active_execution->launch.turns.enter_basic_block(program_counter, stack_pointer);
  }
}

}  // namespace

extern "C" void __sanitizer_cov_trace_pc() {
  const auto stack_pointer = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
  if (--simt::watched.left >= 0 && stack_pointer >= simt::watched.lowest_stack) return;
  look_closer(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), stack_pointer);
}
