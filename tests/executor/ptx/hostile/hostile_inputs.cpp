// Tries changed PTX and fat binaries, each read and run as finesync-check would do. Processes of
// their own try them, so that a fault ends one of these, and its input is named.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tests/executor/ptx/hostile/trial.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <new>

#include <unistd.h>

namespace ptx_hostile {

namespace {

constexpr std::uint64_t inputs_per_process = 500;
constexpr unsigned longest_trial_s = 60;

/// What a process tells of its inputs.
struct progress {
  std::atomic<std::uint64_t> now{0};  ///< the input that it tries
  std::array<std::atomic<std::uint64_t>, outcomes> counts{};
};

class memory_of_processes {
 public:
  explicit memory_of_processes(std::size_t count)
      : bytes_(count * sizeof(progress)),
        at_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (at_ == MAP_FAILED) throw std::bad_alloc();
    for (std::size_t i = 0; i < count; ++i) new (&of(i)) progress;
  }
  ~memory_of_processes() { munmap(at_, bytes_); }
  memory_of_processes(const memory_of_processes&) = delete;
  memory_of_processes& operator=(const memory_of_processes&) = delete;

  progress& of(std::size_t process) { return static_cast<progress*>(at_)[process]; }

 private:
  std::size_t bytes_;
  void* at_;
};

[[noreturn]] void attempt_range(const trials& all, std::uint64_t first, std::uint64_t past,
                                progress& telling) {
  for (std::uint64_t number = first; number < past; ++number) {
    telling.now = number;
    alarm(longest_trial_s);
    ++telling.counts[static_cast<std::size_t>(all.attempt(number))];
  }
  std::exit(0);  // a leak detector looks now
}

std::string how_it_ended(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("status {}", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return fmt::format("no end within {} s", longest_trial_s);
  return fmt::format("signal {}", WTERMSIG(status));
}

struct options {
  std::uint64_t inputs = 20'000;
  std::uint64_t first = 0;
  unsigned jobs = 2;
  bool shows_text = false;
};

class session {
 public:
  session(const trials& all, const options& how)
      : all_(all), how_(how), next_(how.first), memory_(how.jobs) {}

  /// \returns the number of processes that came to harm.
  std::size_t run() {
    for (std::size_t slot = 0; slot < how_.jobs; ++slot) start(slot);
    while (!running_.empty()) {
      int status = 0;
      const pid_t ended = wait(&status);
      const auto found = running_.find(ended);
      if (found == running_.end()) continue;
      const std::size_t slot = found->second;
      running_.erase(found);
      if (status != 0) tell_harm(memory_.of(slot).now, status);
      start(slot);
    }
    return harmed_;
  }

  std::uint64_t count(outcome which) {
    std::uint64_t sum = 0;
    for (std::size_t slot = 0; slot < how_.jobs; ++slot)
      sum += memory_.of(slot).counts[static_cast<std::size_t>(which)];
    return sum;
  }

 private:
  void start(std::size_t slot) {
    const std::uint64_t end = how_.first + how_.inputs;
    if (next_ >= end) return;
    const std::uint64_t first = next_, past = std::min(end, first + inputs_per_process);
    next_ = past;
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process can be started");
    if (child == 0) attempt_range(all_, first, past, memory_.of(slot));
    running_[child] = slot;
  }

  void tell_harm(std::uint64_t number, int status) {
    ++harmed_;
    fmt::print(stderr, "input {}: {}; again: hostile_inputs --first {} --inputs 1\n", number,
               how_it_ended(status), number);
  }

  const trials& all_;
  const options how_;
  std::uint64_t next_;
  memory_of_processes memory_;
  std::map<pid_t, std::size_t> running_;
  std::size_t harmed_ = 0;
};

int run(const options& how) {
  const trials all;
  if (how.shows_text) {
    for (std::uint64_t i = 0; i < how.inputs; ++i) fmt::print("{}\n", all.text_of(how.first + i));
    return 0;
  }
  session one(all, how);
  const std::size_t harmed = one.run();
  fmt::print("{} inputs: {} refused, {} ended with a report, {} ran; {} processes came to harm\n",
             how.inputs, one.count(outcome::refused), one.count(outcome::reported),
             one.count(outcome::ran), harmed);
  return harmed == 0 ? 0 : 1;
}

}  // namespace

}  // namespace ptx_hostile

int main(int count, char** words) {
  CLI::App app("Tries changed PTX and fat binaries. An input is the same one in each run.");
  ptx_hostile::options how;
  app.add_option("--inputs", how.inputs, "how many")->capture_default_str();
  app.add_option("--first", how.first, "the number of the first one")->capture_default_str();
  app.add_option("--jobs", how.jobs, "processes at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_flag("--text", how.shows_text, "print the texts, and try nothing");
  CLI11_PARSE(app, count, words);
  try {
    return ptx_hostile::run(how);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "hostile_inputs: {}\n", problem.what());
    return 2;
  }
}
