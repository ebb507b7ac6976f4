// SPDX-License-Identifier: Apache-2.0
#include <check/live_view.hpp>

#include <fmt/format.h>

#include <cstdio>

#include <unistd.h>

namespace check {

namespace {

constexpr std::chrono::seconds long_enough(10);
constexpr std::chrono::seconds between_lines(30);
constexpr const char* erased = "\r\x1b[K";

}  // namespace

live_view::live_view(unsigned runs)
    : runs_(runs), is_terminal_(isatty(STDERR_FILENO) != 0), next_(began_ + long_enough) {}

live_view::~live_view() {
  if (!shown_.empty()) fmt::print(stderr, "{}", erased);
}

std::string live_view::progress(unsigned ended, std::chrono::seconds since) const {
  return fmt::format("finesync-check: {} of {} runs, {} finding{}, {} s", ended, runs_, findings_,
                     findings_ == 1 ? "" : "s", since.count());
}

void live_view::found(const std::string& title) {
  ++findings_;
  waiting_ += fmt::format("finesync-check: found {}\n", title);
}

void live_view::at(unsigned ended) {
  const clock::time_point now = clock::now();
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(now - began_);
  if (is_terminal_) {
    if (ended == runs_) return;
    // The first run shows the program's output: no line before it may have ended.
    const std::string line = ended == 0 ? "" : progress(ended, since);
    if (line == shown_ && waiting_.empty()) return;
    fmt::print(stderr, "{}{}{}\r", shown_.empty() ? "" : erased, waiting_, line);
    shown_ = line;
    waiting_.clear();
  } else if (since >= long_enough && (now >= next_ || !waiting_.empty())) {
    fmt::print(stderr, "{}", waiting_);
    waiting_.clear();
    if (now < next_) return;
    fmt::print(stderr, "{}\n", progress(ended, since));
    next_ = now + between_lines;
  }
}

}  // namespace check
