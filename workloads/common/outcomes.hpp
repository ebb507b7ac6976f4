// How runs of the workloads end.
#pragma once

#include <bench/experiment.hpp>

#include <cstdint>
#include <string>

namespace finesync::workload {

/// The watchdog, whose limit that is, ended a wait of `whose` ("a block") for `what`.
bench::outcome timed_out(const std::string& whose, std::uint64_t limit_ns, const std::string& what);

/// Wrong, and why; or ok.
inline bench::outcome wrong_unless(bool right, const std::string& reason) {
  if (right) return {};
  return {bench::status::wrong, reason};
}

}  // namespace finesync::workload
