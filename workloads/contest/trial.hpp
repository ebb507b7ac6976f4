// A workload as its program sees it: plain C++, so that neither meets the other's compiler.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace finesync::contest {

/// How a run ended.
struct outcome {
  bool gave_up = false;  ///< the watchdog ended a wait: the result is incomplete
  bool correct = false;
  std::string detail = {};
};

/// The watchdog, whose limit that is, ended a wait of `whose` ("a block") for `what`.
outcome given_up(const std::string& whose, std::uint64_t limit_ns, const std::string& what);

/// Runs of one primitive at one setup, again and again.
class trial {
 public:
  trial() = default;
  trial(const trial&) = delete;
  trial& operator=(const trial&) = delete;
  virtual ~trial() = default;

  /// Puts all state back to what launch() expects.
  virtual void reset() = 0;

  /// Queues the kernels of one run.
  virtual void launch() = 0;

  /// Waits for them, then judges what they left behind; may run more of its own.
  virtual outcome check() = 0;

  /// Extra runs under a probe, and what they saw. None but counts on the host executor, whose clock
  /// is nominal. \throws std::runtime_error when one of those runs went wrong.
  virtual std::map<std::string, double> watch() = 0;

  /// Operations of one launch().
  virtual double operations() const = 0;
};

}  // namespace finesync::contest
