// SPDX-License-Identifier: Apache-2.0
// Plain accesses of a kernel, as to a graph that no kernel writes, pass no check: one to an address
// that the process does not have is a signal. The launch ends by it like by any other bad address.
#include <simt/execution.hpp>

#include <signal.h>
#include <ucontext.h>

namespace simt {
namespace {

thread_local const void* wild_address = nullptr;
thread_local const void* wild_code = nullptr;

[[noreturn]] void end_launch() {
  active_execution->launch.turns.fail({.kind = fault_kind::bad_address,
                                       .subject = current,
                                       .address = wild_address,
                                       .bytes = 1,
                                       .site = wild_code});
}

/// Has the fiber go on in end_launch(), outside the handler. Other faults end the process.
void at_fault(int number, siginfo_t* info, void* context) {
  if (active_execution == nullptr || current == nullptr) {
    signal(number, SIG_DFL);
    if (info->si_code <= 0) raise(number);  // sent, so that nothing is tried again
    return;
  }
  mcontext_t& fiber = static_cast<ucontext_t*>(context)->uc_mcontext;
  const auto code = [](auto at) { return reinterpret_cast<const char*>(at) + 1; };
  wild_address = info->si_addr;
#if defined(__x86_64__)
  constexpr greg_t red_zone = 128;  // below the stack pointer, in use
  wild_code = code(fiber.gregs[REG_RIP]);
  fiber.gregs[REG_RSP] = (fiber.gregs[REG_RSP] - red_zone) / 16 * 16 - 8;  // as after a call
  fiber.gregs[REG_RIP] = reinterpret_cast<greg_t>(&end_launch);
#elif defined(__aarch64__)
  wild_code = code(fiber.pc);
  fiber.pc = reinterpret_cast<std::uint64_t>(&end_launch);
#else
  signal(number, SIG_DFL);
#endif
}

}  // namespace

void watch_wild_accesses() {
  static const bool once = [] {
    struct sigaction before = {};
    sigaction(SIGSEGV, nullptr, &before);
    if (before.sa_handler != SIG_DFL) return false;  // a sanitizer's or the program's
    struct sigaction handler = {};
    handler.sa_sigaction = at_fault;
    handler.sa_flags = SA_SIGINFO;
    return sigaction(SIGSEGV, &handler, nullptr) == 0;
  }();
  static_cast<void>(once);
}

}  // namespace simt
