// SPDX-License-Identifier: Apache-2.0
// The program is forked before its first initializer, once per seed. So every run begins with the
// same state of the host, whatever the program keeps there, and a run that crashes harms no other.
// A replay of single launches would have to copy that state.
#include <finesync/host/executor/check_plan.hpp>
#include <finesync/host/executor/checked_run.hpp>
#include <simt/settings.hpp>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <unistd.h>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

namespace {

constexpr int failed = 1;
constexpr int misused = 2;

using count = std::atomic<std::uint64_t>;

bool is_checked = false;
count* checked_launches = nullptr;  ///< of all runs; in memory that they share

void say(const std::string& line) {
  fmt::print(stderr, "finesync: {}\n", line);
}

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

count* make_shared_count() {
  void* const memory =
      mmap(nullptr, sizeof(count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error(std::strerror(errno));
  return new (memory) count(0);
}

/// From here on the process is this run, as are programs that it starts.
void become(const check_run& run, const simt::gpu_model& gpu) {
  simt::initial_settings() = run.settings_on(gpu);
  setenv("FINESYNC_CHECK", run.mode.c_str(), 1);
  setenv("FINESYNC_SEED", std::to_string(run.seed).c_str(), 1);
  unsetenv("FINESYNC_SEEDS");
  is_checked = true;
}

void copy_to_stderr(std::FILE* printed) {
  std::array<char, 4096> part;
  std::rewind(printed);
  while (const std::size_t bytes = std::fread(part.data(), 1, part.size(), printed))
    std::fwrite(part.data(), 1, bytes, stderr);
}

int status_after(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(std::strerror(errno));
  }
  return status;
}

/// The exit status that a shell would see.
int exit_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string ending(int status) {
  return WIFSIGNALED(status)
             ? fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
             : fmt::format("exit status {}", WEXITSTATUS(status));
}

/// Returns in the processes that are runs. The first prints where the program would; of the others
/// only what a failed one has printed is shown.
void run_all(const check_plan& plan, const simt::gpu_model& gpu) {
  checked_launches = make_shared_count();
  for (std::uint64_t number = 0; number < plan.runs(); ++number) {
    const check_run run = plan.run(number);
    std::FILE* const printed = number == 0 ? nullptr : std::tmpfile();
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process < 0) throw std::runtime_error(std::strerror(errno));
    if (process == 0) {
      for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        if (printed != nullptr) dup2(fileno(printed), stream);
      become(run, gpu);
      return;
    }
    const int status = status_after(process);
    if (status != 0) {
      if (printed != nullptr) copy_to_stderr(printed);
      say(fmt::format("run {} of {} failed: {}; FINESYNC_CHECK={} FINESYNC_SEED={} repeats it",
                      number + 1, plan.runs(), ending(status), run.mode, run.seed));
      std::_Exit(exit_status(status));
    }
    if (printed != nullptr) std::fclose(printed);
  }
  if (*checked_launches == 0) {
    say("nothing was checked: the program launched no kernel, or chose other settings itself");
    std::_Exit(failed);
  }
  say(fmt::format("{} runs with {} launches passed: {}, seeds {} to {}", plan.runs(),
                  checked_launches->load(), fmt::join(plan.modes, " and "), plan.first, plan.last));
  std::_Exit(0);
}

// Before all initializers of the program, which have the usual priority.
[[gnu::constructor(101)]] void begin() {
  try {
    const check_plan plan = plan_of(from_environment);
    const simt::gpu_model gpu = gpu_to_imitate(from_environment);
    simt::initial_settings().gpu = gpu;
    if (plan.runs() == 1) {
      become(plan.run(0), gpu);
    } else if (plan.runs() > 1) {
      run_all(plan, gpu);
    }
  } catch (const std::exception& problem) {
    say(problem.what());
    std::_Exit(misused);
  }
}

}  // namespace

void note_launch() {
  const simt::settings& now = simt::current_settings();
  const bool searches = now.check == simt::checking::races || now.memory == simt::memory_kind::weak;
  if (checked_launches != nullptr && searches) ++*checked_launches;
}

void end_checked_run(const std::string& report) {
  if (!is_checked) return;
  std::fflush(nullptr);
  say(report);
  std::_Exit(failed);
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
