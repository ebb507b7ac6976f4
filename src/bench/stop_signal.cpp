#include <bench/stop_signal.hpp>

namespace finesync::bench {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

extern "C" void note_signal(int number) {
  noted_signal = number;
  // A second signal has its default effect.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

stop_signal::stop_signal() {
  noted_signal = 0;
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

stop_signal::~stop_signal() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

int stop_signal::signal() const {
  return noted_signal;
}

}  // namespace finesync::bench
