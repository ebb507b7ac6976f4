// The stopwatch of the host executor, which has done its work when a launch returns.
#include <bench/stopwatch.hpp>

#include <chrono>

namespace finesync::bench {

struct stopwatch::state {
  std::chrono::steady_clock::time_point begin;
};

stopwatch::stopwatch(const stream& /*on*/) : state_(new state) {}
stopwatch::~stopwatch() = default;

void stopwatch::start() {
  state_->begin = std::chrono::steady_clock::now();
}

double stopwatch::stop() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - state_->begin).count();
}

}  // namespace finesync::bench
