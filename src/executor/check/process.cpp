// SPDX-License-Identifier: Apache-2.0
#include <check/process.hpp>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

namespace check {

namespace {

std::atomic<int> signal_received = 0;
static_assert(std::atomic<int>::is_always_lock_free);

class file_actions {
 public:
  file_actions() { posix_spawn_file_actions_init(&actions_); }
  ~file_actions() { posix_spawn_file_actions_destroy(&actions_); }
  file_actions(const file_actions&) = delete;
  file_actions& operator=(const file_actions&) = delete;

  void to_nowhere(int descriptor, int mode) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, "/dev/null", mode, 0);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::vector<std::string> environment_with(const environment& added) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string text = *each;
    bool is_replaced = false;
    for (const auto& [name, value] : added) is_replaced |= text.starts_with(name + "=");
    if (!is_replaced) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& each : texts) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// \returns whether the child ended within the time.
bool ends_within(pid_t child, unsigned seconds) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (handle < 0) throw std::system_error(errno, std::generic_category(), "pidfd_open");
  pollfd waited{.fd = handle, .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    if (was_interrupted()) kill(child, signal_received);
    ready = poll(&waited, 1, static_cast<int>(seconds) * 1000);
  } while (ready < 0 && errno == EINTR);
  close(handle);
  return ready > 0;
}

}  // namespace

process_end run_process(const std::vector<std::string>& command, const environment& added,
                        bool shows_output, unsigned seconds) {
  file_actions actions;
  actions.to_nowhere(STDIN_FILENO, O_RDONLY);
  if (!shows_output) {
    actions.to_nowhere(STDOUT_FILENO, O_WRONLY);
    actions.to_nowhere(STDERR_FILENO, O_WRONLY);
  }
  std::vector<std::string> arguments = command;
  std::vector<std::string> variables = environment_with(added);
  pid_t child = 0;
  const int problem = posix_spawnp(&child, command.front().c_str(), actions.get(), nullptr,
                                   pointers_to(arguments).data(), pointers_to(variables).data());
  if (problem != 0) {
    throw std::runtime_error(
        fmt::format("cannot run '{}': {}", command.front(), std::strerror(problem)));
  }
  process_end end;
  end.out_of_time = !ends_within(child, seconds);
  if (end.out_of_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end.is_signal = WIFSIGNALED(status);
  end.code = end.is_signal ? WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

void pass_signals_to_child() {
  struct sigaction action = {};
  action.sa_handler = [](int which) { signal_received = which; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() {
  return signal_received != 0;
}

}  // namespace check
