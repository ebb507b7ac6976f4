// How runs of the workloads end.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/wait_report.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace finesync::workload {

/// The watchdog ended this wait. \param done operations that the kernel had completed by the time
/// it ended, where that is known.
bench::outcome timed_out(const wait_report& wait, std::optional<std::uint64_t> done = {});

/// Wrong, and why; or ok.
inline bench::outcome wrong_unless(bool right, const std::string& reason) {
  if (right) return {};
  return {bench::status::wrong, reason};
}

}  // namespace finesync::workload
