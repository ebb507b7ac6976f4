// What a workload writes: experiments, the primitives that make them, and how a run may end.
#pragma once

#include <bench/point.hpp>

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// How a run ended.
enum class status {
  ok,        ///< finished, and its result is right
  skipped,   ///< the point is infeasible here; says nothing about the primitive
  wrong,     ///< finished with a wrong result
  livelock,  ///< threads ran on without progress until the watchdog stopped them
  deadlock,  ///< all threads waited for each other
  error,     ///< the device, the driver or the workload itself failed
};

/// The name that results use: "ok", "skipped", ...
std::string_view to_string(status what);

/// A status and, unless it is ok, one line that says why.
struct verdict {
  status what = status::ok;
  std::string reason = {};
};

/// "wrong: 3 keys are missing"; how a verdict travels through Google Benchmark's error message.
std::string to_message(const verdict& which);

/// The inverse of to_message(); a message without a known status in front is an error.
verdict from_message(std::string_view message);

/// Named measurements of one point. Finite numbers only: a row with anything else is an error.
using counters = std::map<std::string, double>;

/// Thrown where a point cannot exist on this machine; its text is the reason kept in the results.
class infeasible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by an experiment whose kernel made no progress, where finesync::stuck_error was not.
class stuck : public std::runtime_error {
 public:
  /// `what` is status::livelock or status::deadlock.
  stuck(status what, const std::string& reason) : std::runtime_error(reason), status_(what) {}
  status what_kind() const { return status_; }

 private:
  status status_;
};

/// One feasible point, owning its device state. The harness keeps at most one alive, and calls
/// reset(), launch(), verify() for every run, of which the first is an untimed warm-up.
/// Any of them may throw: infeasible or finesync::launch_error make the point skipped, stuck or
/// finesync::stuck_error a livelock or deadlock, any other exception an error.
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
  /// Judges the result of the finished launch(); not timed.
  virtual verdict verify() = 0;
  /// Extra instrumented runs of its own (retries, latency, fairness); not timed, once per point
  /// that gets rows, with the state that the warm-up left behind.
  virtual counters measure() { return {}; }
  /// Operations in one launch(), for items_per_second.
  virtual double items() const = 0;
  /// Where the inputs of this point come from (file, seed, generator); null for none.
  virtual nlohmann::json inputs() const { return {}; }
};

/// One competitor. `make` throws infeasible, or lets finesync::launch_error pass, when the point
/// cannot exist on this machine.
struct primitive {
  std::string name;
  std::string help;  ///< one line
  std::function<std::unique_ptr<experiment>(const point&)> make;
  /// Axes that --tune chooses for it, in this order; each has candidates.
  std::vector<std::string> tunable = {};
};

}  // namespace finesync::bench
