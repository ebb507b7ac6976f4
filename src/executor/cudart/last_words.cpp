// SPDX-License-Identifier: Apache-2.0
#include <cudart/findings.hpp>
#include <cudart/last_words.hpp>
#include <simt/source_position.hpp>

#include <fmt/format.h>

#include <array>
#include <string_view>

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

namespace cudart {

namespace {

const void* object_of(const void* code) {
  Dl_info where = {};
  return dladdr(code, &where) == 0 ? nullptr : where.dli_fbase;
}

/// Where the interrupted OS thread is: its innermost line of the program, and the call of CUDA that
/// it is in there.
std::string place_of_host() {
  std::array<void*, 64> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  const void* const own = object_of(reinterpret_cast<const void*>(answer_at_time_out));
  const void* const library = object_of(dlsym(RTLD_DEFAULT, "nanosleep"));
  std::string call;
  for (int i = 0; i < count; ++i) {
    const void* const code = frames[static_cast<std::size_t>(i)];
    const void* const object = object_of(code);
    if (object == own) {
      Dl_info where = {};
      dladdr(code, &where);
      const std::string_view name = where.dli_sname == nullptr ? "" : where.dli_sname;
      if (name.starts_with("cuda")) call = fmt::format("in {}(), ", name);
    } else if (object != library) {
      const std::string line = simt::source_line({code});
      if (!line.empty()) return call + "at " + line;
    }
  }
  return call + "where no line is known";
}

/// The process is about to be killed: if this waits for what the interrupted code holds, it is all
/// the same.
void answer(int, siginfo_t* info, void*) {
  if (info->si_code != SI_USER) return;  // a socket has urgent data, or a thread is meant
  const kernel_that_runs* const kernel = kernel_that_runs::current;
  report({.kind = finding_kind::last_words,
          .text = kernel == nullptr
                      ? "the host was " + place_of_host()
                      : fmt::format("kernel {} was running, launched at {}", kernel->name,
                                    simt::source_line({kernel->launched})),
          .subject = fmt::format("{}", getpid())});
  kill(getpid(), SIGKILL);
}

}  // namespace

void answer_at_time_out() {
  std::array<void*, 1> frame;
  backtrace(frame.data(), 1);  // loads what it needs now
  struct sigaction action = {};
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGURG, &action, nullptr);
}

}  // namespace cudart
