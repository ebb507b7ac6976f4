// SPDX-License-Identifier: Apache-2.0
#include <check/traced_process.hpp>

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <fstream>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

namespace check {

namespace {

constexpr int options_of_tracing = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                                   PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL;

std::string file_of(pid_t process, const char* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

std::optional<mapped_file> wanted_file_of(
    pid_t process, const std::function<bool(const std::string& path)>& is_wanted) {
  std::ifstream maps(file_of(process, "maps"));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path == line.npos || !is_wanted(line.substr(path))) continue;
    mapped_file found{line.substr(path), {}};
    std::ifstream variables(file_of(process, "environ"));
    for (std::string each; std::getline(variables, each, '\0');) found.variables.push_back(each);
    return found;
  }
  return std::nullopt;
}

/// Does not return. The stop is for the tracer to choose what it wants to see.
void run_traced(std::vector<char*> arguments, std::vector<char*> variables) {
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, each);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) {
    raise(SIGSTOP);
    execvpe(arguments.front(), arguments.data(), variables.data());
  }
  _exit(127);
}

/// A signal that goes on to the process; 0 for stops, which would stop it without an end.
int signal_after(int status) {
  const int which = WSTOPSIG(status);
  const bool is_stop = which == SIGSTOP || which == SIGTSTP || which == SIGTTIN || which == SIGTTOU;
  return status >> 16 != 0 || which == SIGTRAP || is_stop ? 0 : which;
}

}  // namespace

std::optional<mapped_file> find_mapped_file(
    const std::vector<std::string>& command, const environment& added, unsigned seconds,
    const std::function<bool(const std::string& path)>& is_wanted) {
  using clock = std::chrono::steady_clock;
  std::vector<std::string> arguments = command;
  std::vector<std::string> variables = environment_with(added);
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) run_traced(pointers_to(arguments), pointers_to(variables));
  const auto limit = clock::now() + std::chrono::seconds(seconds);
  std::optional<mapped_file> found;
  bool is_begun = false;
  for (;;) {
    if (found || was_interrupted() || clock::now() >= limit) kill_children();
    int status = 0;
    const pid_t which = waitpid(-1, &status, WNOHANG | __WALL);
    if (which < 0 && errno != EINTR) return found;
    if (which == 0) poll(nullptr, 0, 1);
    if (which <= 0 || !WIFSTOPPED(status)) continue;
    if (which == child && !is_begun) {
      ptrace(PTRACE_SETOPTIONS, child, nullptr, options_of_tracing);
      is_begun = true;
    }
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8) && !found)
      found = wanted_file_of(which, is_wanted);
    ptrace(PTRACE_CONT, which, nullptr, signal_after(status));
  }
}

}  // namespace check
