// SPDX-License-Identifier: Apache-2.0
#include <cudart/device.hpp>
#include <cudart/host_accesses.hpp>
#include <cudart/streams.hpp>
#include <simt/arena.hpp>
#include <simt/source_position.hpp>

#include <sys/auxv.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <utility>

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

namespace cudart {

namespace {

/// Where the device's global memory lies; null until there is memory that the host shares.
std::atomic<std::byte*> base{nullptr};
std::size_t reserved = 0;
/// What the program had chosen before.
struct sigaction handler_of_program = {};
/// Of the device's OS thread, and of others during an operation.
thread_local bool is_runtime = false;

std::byte* address_of(std::uint64_t offset) {
  return base.load() + offset;
}

/// What is closed now. On the device's OS thread.
page_uses& closed() {
  static auto& pages = *new page_uses;
  return pages;
}

void protect(const byte_set& pages, int how) {
  for (const auto& range : pages)
    mprotect(address_of(range.lower()), range.upper() - range.lower(), how);
}

void open_pages() {
  protect(closed().written, PROT_READ | PROT_WRITE);
  protect(closed().read, PROT_READ | PROT_WRITE);
  closed() = {};
}

/// The innermost code of the program itself: an access may be in a library's memcpy().
const void* code_in_program(const void* accessing) {
  constexpr int most = 64;
  std::array<void*, most> frames;
  const int count = backtrace(frames.data(), most);
  Dl_info program = {};
  dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &program);
  bool is_inside = false;
  for (int i = 0; i < count; ++i) {
    is_inside = is_inside || frames[static_cast<std::size_t>(i)] == accessing;
    const void* const code = frames[static_cast<std::size_t>(i)];
    Dl_info where = {};
    if (!is_inside || dladdr(code, &where) == 0 || where.dli_fbase != program.dli_fbase) continue;
    return code == accessing ? static_cast<const char*>(code) + 1 : code;
  }
  return static_cast<const char*>(accessing) + 1;
}

struct fault {
  const void* code = nullptr;
  bool writes = false;  ///< false if the processor does not say it
};

fault fault_in(const void* context) {
  fault what;
#if defined(__x86_64__)
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  constexpr greg_t is_write = 2;
  what.code = reinterpret_cast<const void*>(registers[REG_RIP]);
  what.writes = (registers[REG_ERR] & is_write) != 0;
#elif defined(__aarch64__)
  what.code =
      reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#endif
  return what;
}

/// The program's own code has accessed a closed page, and goes on afterwards: this is no handler
/// in the middle of the runtime.
void at_fault(int signal, siginfo_t* info, void* context) {
  const auto* const address = static_cast<const std::byte*>(info->si_addr);
  const auto offset = static_cast<std::uint64_t>(address - base.load());
  if (offset >= reserved) {  // not of this memory, so as without this handler
    sigaction(signal, &handler_of_program, nullptr);
    return;
  }
  const std::uint64_t begin = offset / page_bytes * page_bytes;
  const auto open = [begin] { mprotect(address_of(begin), page_bytes, PROT_READ | PROT_WRITE); };
  if (is_runtime) return static_cast<void>(open());
  const fault what = fault_in(context);
  const void* const from = code_in_program(what.code);
  on_device([&] {
    const bool writes = what.writes || boost::icl::contains(closed().read, begin);
    overlaps().add_host_access(offset, writes, from);
    close_to_host();
    open();
    const auto page = byte_range::right_open(begin, begin + page_bytes);
    closed().written -= page;
    closed().read -= page;
  });
}

void watch_pages() {
  reserved = simt::global_memory().reserved_bytes();
  base = static_cast<std::byte*>(const_cast<void*>(simt::global_memory().base()));
  is_runtime = true;
  std::array<void*, 1> frame;
  backtrace(frame.data(), 1);  // loads what it needs now
  struct sigaction handler = {};
  handler.sa_sigaction = at_fault;
  handler.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &handler, &handler_of_program);
}

}  // namespace

void share_with_host(const void* memory, std::size_t bytes) {
  if (base == nullptr) watch_pages();
  overlaps().share_with_host(simt::global_memory().offset(memory), bytes);
}

void unshare_with_host(const void* memory) {
  if (base != nullptr) overlaps().unshare_with_host(simt::global_memory().offset(memory));
}

void close_to_host() {
  if (base == nullptr) return;
  page_uses wanted = overlaps().not_awaited();
  wanted.read -= wanted.written;
  if (wanted == closed()) return;
  open_pages();
  protect(wanted.written, PROT_NONE);
  protect(wanted.read, PROT_READ);
  closed() = std::move(wanted);
}

device_operation::device_operation() : is_outermost_(!std::exchange(is_runtime, true)) {
  if (is_outermost_ && base != nullptr) on_device(open_pages);
}

device_operation::~device_operation() {
  if (!is_outermost_) return;
  if (base != nullptr) on_device(close_to_host);
  is_runtime = false;
}

}  // namespace cudart
