// The compiler's call at every basic block of a kernel (-fsanitize-coverage=trace-pc). It gives the
// executor what fibers alone cannot: an end to loops that never make a device operation, a check of
// the stack, and the program counter that lockstep execution needs.
#include <simt/machine.hpp>

extern "C" void __sanitizer_cov_trace_pc();

extern "C" void __sanitizer_cov_trace_pc() {
  if (simt::current == nullptr) return;  // host code
  simt::active_machine->enter_basic_block(
      reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
}
