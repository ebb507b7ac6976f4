// SPDX-License-Identifier: Apache-2.0
#include <check/worker.hpp>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace check {

namespace {

/// The last character of what a process tells: what comes before it is whole.
constexpr char is_result = 'R';
constexpr char is_problem = 'P';
constexpr char before_problem = '\0';

void write_all(int to, std::string_view left) {
  while (!left.empty()) {
    const ssize_t written = write(to, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void work_and_tell(const std::function<std::string(const worker::teller&)>& work,
                                int to, pid_t above) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != above) raise(SIGTERM);
  try {
    write_all(to, work([to](std::string_view part) { write_all(to, part); }) + is_result);
  } catch (const std::exception& problem) {
    write_all(to, std::string(1, before_problem) + problem.what() + is_problem);
  }
  _exit(0);  // nothing of the process above is to be done twice
}

}  // namespace

worker::worker(const std::function<std::string(const teller&)>& work) {
  const auto failed = [](const char* what) {
    return std::system_error(errno, std::generic_category(), what);
  };
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw failed("pipe");
  from_ = ends[0];
  fcntl(from_, F_SETFL, O_NONBLOCK);
  std::fflush(nullptr);
  const pid_t above = getpid();
  process_ = fork();
  if (process_ == 0) work_and_tell(work, ends[1], above);
  close(ends[1]);
  if (process_ > 0) return;
  close(from_);
  throw failed("fork");
}

worker::worker(worker&& other) noexcept
    : process_(std::exchange(other.process_, 0)),
      from_(std::exchange(other.from_, -1)),
      text_(std::move(other.text_)) {}

worker::~worker() {
  if (from_ >= 0) close(from_);
  if (process_ == 0) return;
  // Not SIGKILL: its children would go on.
  kill(process_, SIGTERM);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<std::string> worker::take() {
  std::array<char, 65536> part;
  for (;;) {
    const ssize_t got = read(from_, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return ended();
    text_.append(part.data(), static_cast<std::size_t>(got));
  }
}

void worker::send_signal(int which) const {
  kill(process_, which);
}

std::string worker::ended() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  const char last = text_.empty() ? '\0' : text_.back();
  if (last != is_result && last != is_problem)
    throw std::runtime_error(
        WIFSIGNALED(status)
            ? fmt::format("the process of a run was ended by signal {}", WTERMSIG(status))
            : "the process of a run ended too early");
  text_.pop_back();
  if (last == is_problem) throw std::runtime_error(text_.substr(text_.rfind(before_problem) + 1));
  return std::move(text_);
}

}  // namespace check
