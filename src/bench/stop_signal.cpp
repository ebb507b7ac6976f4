// SPDX-License-Identifier: Apache-2.0
#include <bench/stop_signal.hpp>

#include <cstddef>
#include <utility>

#include <unistd.h>

namespace finesync::bench {
namespace {

constexpr unsigned grace_seconds = 1;

volatile std::sig_atomic_t noted_signal = 0;
const char* last_words_begin = nullptr;
std::size_t last_words_size = 0;

extern "C" void note_signal(int number) {
  noted_signal = number;
  // A second signal has its default effect.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  alarm(grace_seconds);
}

extern "C" void end_process(int) {
  [[maybe_unused]] const auto ignored = write(STDERR_FILENO, last_words_begin, last_words_size);
  _exit(128 + noted_signal);
}

void handle(int number, void (*handler)(int), struct sigaction& old) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, &old);
}

}  // namespace

stop_signal::stop_signal(std::string last_words) : last_words_(std::move(last_words)) {
  noted_signal = 0;
  last_words_begin = last_words_.data();
  last_words_size = last_words_.size();
  handle(SIGALRM, end_process, old_alarm_);
  handle(SIGINT, note_signal, old_int_);
  handle(SIGTERM, note_signal, old_term_);
}

stop_signal::~stop_signal() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  alarm(0);
  sigaction(SIGALRM, &old_alarm_, nullptr);
}

int stop_signal::signal() const {
  return noted_signal;
}

}  // namespace finesync::bench
