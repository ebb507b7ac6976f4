// The compiler's call at every basic block of a kernel (-fsanitize-coverage=trace-pc). Fibers do
// not provide its three uses: an end to loops that never make a device operation, a check of the
// stack, and the program counter for lockstep execution.
#include <simt/executor.hpp>

extern "C" void __sanitizer_cov_trace_pc();

extern "C" void __sanitizer_cov_trace_pc() {
  simt::thread* const self = simt::current;
  if (self == nullptr) return;  // host code
  const auto stack_pointer = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (++self->basic_blocks <= simt::executor::longest_raw_loop &&
      stack_pointer >= self->stack_watch)
    return;
  simt::active_executor->enter_basic_block(
      reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), stack_pointer);
}
