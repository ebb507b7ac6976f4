// What a workload writes: experiments, and how a run of one may end. Plain C++ without any library,
// because it is included where kernels are compiled.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace finesync::bench {

/// How a run ended.
enum class status {
  ok,        ///< finished, and its result is right
  skipped,   ///< the point is infeasible here; says nothing about the primitive
  wrong,     ///< finished with a wrong result
  timeout,   ///< a thread waited longer than the watchdog allows; the details say who for what
  livelock,  ///< threads ran on without progress, as the host executor can tell
  deadlock,  ///< all threads waited for each other, as the host executor can tell
  error,     ///< the device, the driver or the workload itself failed
};

/// The name that results use: "ok", "skipped", ...
std::string_view to_string(status what);

/// Named values: of a run, of where its inputs come from.
using parameters = std::map<std::string, std::variant<long long, double, bool, std::string>>;

/// A status and, unless it is ok, one line that says why.
struct outcome {
  status what = status::ok;
  std::string reason = {};
  parameters details = {};  ///< of a timeout: who waited for what

  bool ok() const { return what == status::ok; }
};

/// "wrong: 3 keys are missing"; how an outcome travels through Google Benchmark's error message.
std::string to_message(const outcome& which);

/// The inverse of to_message(), without the details; a message without a known status in front is
/// an error.
outcome from_message(std::string_view message);

/// Named measurements of one point. Finite numbers only: a row with anything else is an error.
using counters = std::map<std::string, double>;

/// Thrown where a point cannot exist on this machine; its text is the reason kept in the results.
class infeasible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by an experiment whose kernel made no progress, where finesync::hang_error was not.
class hung : public std::runtime_error {
 public:
  /// `what` is status::livelock or status::deadlock.
  hung(status what, const std::string& reason) : std::runtime_error(reason), status_(what) {}
  status what_kind() const { return status_; }

 private:
  status status_;
};

/// One feasible point, owning its device state. The harness keeps at most one alive, and calls
/// reset(), launch(), verify() for every run, of which the first is an untimed warm-up.
/// Any of them may throw: infeasible or finesync::launch_error make the point skipped, hung or
/// finesync::hang_error a livelock or deadlock, any other exception an error.
class experiment {
 public:
  experiment() = default;
  experiment(const experiment&) = delete;
  experiment& operator=(const experiment&) = delete;
  virtual ~experiment() = default;

  /// Puts all state back to what launch() expects; not timed.
  virtual void reset() = 0;
  /// Queues the kernels to be timed, and nothing else.
  virtual void launch() = 0;
  /// Waits for launch(), then says whether its result is right; not timed. May run more of its own.
  virtual outcome verify() = 0;
  /// Extra instrumented runs of its own (retries, latency, fairness); not timed, once per point
  /// that gets rows, with the state that the warm-up left behind.
  virtual counters measure() { return {}; }
  /// What launch() really runs, where the point left it open and where it did not: the grid, the
  /// primitive's type, its back-off, slots, ring.
  virtual parameters effective_parameters() const { return {}; }
  /// Operations in one launch(); items_per_second counts them.
  virtual double operations() const = 0;
};

}  // namespace finesync::bench
