#include <workloads/common/outcomes.hpp>

namespace finesync::workload {

bench::outcome timed_out(const wait_report& wait, std::optional<std::uint64_t> done) {
  const auto number = [](std::uint64_t value) { return static_cast<long long>(value); };
  bench::outcome ended{.what = bench::status::timeout, .reason = to_string(wait)};
  ended.details = {{"block", number(wait.block)},
                   {"thread", number(wait.thread)},
                   {"waited_for", to_string(wait.what)},
                   {"waited_ms", number(wait.waited_ns / 1'000'000)},
                   {"hung", wait.hung()}};
  if (wait.last_progress_ns)
    ended.details["last_progress_ms"] = number(*wait.last_progress_ns / 1'000'000);
  if (wait.which) ended.details["index"] = number(*wait.which);
  if (done) {
    ended.details["operations_done"] = number(*done);
    ended.reason += "; " + std::to_string(*done) + " operations were completed";
  }
  return ended;
}

}  // namespace finesync::workload
