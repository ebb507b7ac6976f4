// SPDX-License-Identifier: Apache-2.0
// The interface of a workload: experiments, and the outcomes of their runs. Plain C++ without any
// library, because kernel sources include it.
#pragma once

#include <finesync/version.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace finesync::inline FINESYNC_ABI {
class stream;  // only its address passes through the harness, which is compiled without CUDA
}

namespace finesync::bench {

/// How a run ended.
enum class status {
  ok,              ///< finished, and its result is right
  skipped,         ///< the point is infeasible here; this says nothing about the primitive
  wrong,           ///< finished with a wrong result
  declared_wrong,  ///< the same, of a primitive that is declared to be incorrect: no failure
  timeout,         ///< a thread waited longer than the watchdog allows; see the details
  livelock,        ///< threads ran without progress; reported by the host executor
  deadlock,        ///< all threads waited for each other; reported by the host executor
  error,           ///< the device, the driver or the workload itself failed
};

/// The name that results use: "ok", "skipped", ...
std::string_view to_string(status what);

/// Named values: of a run, or of the source of its inputs.
using parameters = std::map<std::string, std::variant<long long, double, bool, std::string>>;

/// A status and, unless it is ok, one line that says why.
struct outcome {
  status what = status::ok;
  std::string reason = {};
  parameters details = {};  ///< of a timeout: which thread waited for what

  bool ok() const { return what == status::ok; }
};

/// "wrong: 3 keys are missing": an outcome as Google Benchmark's error message.
std::string to_message(const outcome& which);

/// The inverse of to_message(), without the details; a message without a known status is an error.
outcome from_message(std::string_view message);

/// Named measurements of one point. Finite numbers only: a row with any other value is an error.
using counters = std::map<std::string, double>;

/// Named results of one run.
using exact_results = std::map<std::string, long long>;

/// Thrown if a point cannot exist on this machine; its text is the reason in the results.
class infeasible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown if an input cannot be read: no point with it can run, which is the request's fault.
class unusable_input : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by an experiment whose kernel made no progress, unless finesync::hang_error was.
class hung : public std::runtime_error {
 public:
  /// `what` is status::livelock or status::deadlock.
  hung(status what, const std::string& reason) : std::runtime_error(reason), status_(what) {}
  status what_kind() const { return status_; }

 private:
  status status_;
};

/// Thrown by measure() for an instrumented run that did not end well: the row has its outcome.
class failed_run : public std::runtime_error {
 public:
  explicit failed_run(const outcome& ended) : std::runtime_error(ended.reason), ended_(ended) {}
  const outcome& ended() const { return ended_; }

 private:
  outcome ended_;
};

/// \throws failed_run unless the run ended well
inline void expect_ok(const outcome& ended) {
  if (!ended.ok()) throw failed_run(ended);
}

/// One feasible point, owning its device state. The harness keeps at most one alive. It calls
/// reset(), launch(), verify() for every run; the first is an untimed warm-up.
/// Any of them may throw: infeasible or finesync::launch_error make the point skipped, hung or
/// finesync::hang_error a livelock or deadlock, any other exception an error. In verify() the
/// former two are errors as well: a run that was timed and cannot be verified is no reason to skip
/// a point.
class experiment {
 public:
  experiment() = default;
  experiment(const experiment&) = delete;
  experiment& operator=(const experiment&) = delete;
  virtual ~experiment() = default;

  /// Restores the state that launch() expects; not timed.
  virtual void reset() = 0;
  /// Queues the kernels to be timed, and nothing else.
  virtual void launch() = 0;
  /// The stream in which the work of launch() begins and ends: the harness takes the time there.
  /// Null: the default stream of the current device.
  virtual const stream* timed_stream() const { return nullptr; }
  /// Waits for launch(), then checks its result; not timed. May run more kernels.
  virtual outcome verify() = 0;
  /// What could go wrong in launch() without a trace in its result, and the further run by which
  /// each verify() checks it instead, in one line for the row; empty if there is no such thing.
  virtual std::string unverified() const { return {}; }
  /// Extra instrumented runs (retries, latency, fairness), each verified like a timed one; once per
  /// point with rows, after the warm-up and with its state.
  virtual counters measure() { return {}; }
  /// What the last run computed, after a right verify(): exact, for users who compare it. The rows
  /// have it beside the counters.
  virtual exact_results computed() const { return {}; }
  /// What launch() really runs, whether or not the point chose it: the grid, the primitive's type,
  /// its back-off, slots, ring.
  virtual parameters effective_parameters() const { return {}; }
  /// Operations in one launch(); items_per_second counts them.
  virtual double operations() const = 0;
};

}  // namespace finesync::bench
