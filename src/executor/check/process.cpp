// SPDX-License-Identifier: Apache-2.0
#include <check/process.hpp>
#include <simt/host_memory.hpp>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

namespace check {

namespace {

std::atomic<int> signal_received = 0;
static_assert(std::atomic<int>::is_always_lock_free);
/// Of in_process_of_its_own().
pid_t inner = 0;

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

using clock = std::chrono::steady_clock;

void add_descendants(const std::string& of, std::vector<pid_t>& to) {
  std::error_code none;  // it may end at any time
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + of + "/task", none)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) {
      to.push_back(child);
      add_descendants(std::to_string(child), to);
    }
  }
}

/// The children of this process, theirs, and so on.
std::vector<pid_t> descendants() {
  std::vector<pid_t> all;
  add_descendants("self", all);
  return all;
}

/// In bytes, without pages of files.
std::size_t memory_of(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  std::size_t kib = 0;
  for (std::string word; status >> word;)
    if (word == "RssAnon:" && status >> kib) break;
  return kib * 1024;
}

/// The processes of a run: the child, and what is left of others when their parents end.
class process_tree {
 public:
  process_tree(pid_t child, const limits& most, named_pipe& report)
      : child_(child),
        report_(report),
        left_free_(most.left_free),
        limit_(clock::now() + std::chrono::seconds(most.seconds)) {}

  process_end ended() {
    while (!all_have_ended()) {
      if (clock::now() >= limit_) be_out_of_time();
      if (is_out_of_memory()) end_.out_of_memory = true;
      if (end_.out_of_memory) kill_children();
      if (was_interrupted() && !passed_on_) pass_on();
      pollfd waited{.fd = report_.descriptor(), .events = POLLIN, .revents = 0};
      constexpr int milliseconds = 5;
      poll(&waited, 1, milliseconds);
      report_.read_what_is_there();
    }
    report_.read_what_is_there();
    return end_;
  }

 private:
  bool all_have_ended() {
    for (;;) {
      int status = 0;
      const pid_t which = waitpid(-1, &status, WNOHANG);
      if (which < 0 && errno == EINTR) continue;
      if (which <= 0) return which < 0;
      if (which != child_) continue;
      end_.is_signal = WIFSIGNALED(status);
      end_.code = end_.is_signal ? WTERMSIG(status) : WEXITSTATUS(status);
    }
  }

  /// They have some seconds to say what they do.
  void be_out_of_time() {
    if (!end_.out_of_time && !was_interrupted() && !report_.text().empty()) {
      for (const pid_t each : descendants()) kill(each, what_are_you_doing);
      limit_ += std::chrono::seconds(3);
    } else {
      kill_children();
    }
    end_.out_of_time = !was_interrupted();
  }

  bool is_out_of_memory() {
    constexpr unsigned seldom = 5;  // it takes as long as a hundred system calls
    if (++looks_ % seldom != 0 || simt::free_memory() >= left_free_) return false;
    constexpr std::size_t innocent = std::size_t{64} << 20;  // others have taken it
    std::size_t taken = 0;
    for (const pid_t each : descendants()) taken += memory_of(each);
    return taken > innocent;
  }

  /// The child has a second to end.
  void pass_on() {
    kill(child_, signal_received);
    passed_on_ = true;
    limit_ = std::min(limit_, clock::now() + std::chrono::seconds(1));
  }

  pid_t child_;
  named_pipe& report_;
  const std::size_t left_free_;
  clock::time_point limit_;
  unsigned looks_ = 0;
  bool passed_on_ = false;
  process_end end_;
};

}  // namespace

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

void kill_children() {
  const char* const list = "/proc/thread-self/children";
  std::ifstream children(list);
  if (!children) throw std::runtime_error(fmt::format("cannot read {}", list));
  for (pid_t child = 0; children >> child;) kill(child, SIGKILL);
}

named_pipe::named_pipe(const std::string& path, std::function<void(std::string_view)> passed_on)
    : passed_on_(std::move(passed_on)) {
  const auto check = [&](int result) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), path);
    return result;
  };
  check(mkfifo(path.c_str(), 0600));
  reading_ = check(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  writing_ = check(open(path.c_str(), O_WRONLY | O_CLOEXEC));
}

named_pipe::~named_pipe() {
  close(reading_);
  close(writing_);
}

void named_pipe::read_what_is_there() {
  std::array<char, 65536> part;
  for (;;) {
    const ssize_t got = read(reading_, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    const std::string_view read_now(part.data(), static_cast<std::size_t>(got));
    text_ += read_now;
    if (passed_on_) passed_on_(read_now);
  }
}

process_end run_process(const std::vector<std::string>& command, const environment& added,
                        bool shows_output, const limits& most, named_pipe& report) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // whose parent ends is this process's child
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
  return process_tree(child, most, report).ended();
}

int in_process_of_its_own(const std::function<int()>& work) {
  const pid_t above = getpid();
  inner = fork();
  if (inner < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (inner == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != above) raise(SIGTERM);
    return work();
  }
  struct sigaction action = {};
  action.sa_handler = [](int which) { kill(inner, which); };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  int status = 0;
  while (waitpid(inner, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  throw std::runtime_error(fmt::format("was ended by signal {}", WTERMSIG(status)));
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
