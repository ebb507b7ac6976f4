#include <workloads/common/outcomes.hpp>

namespace finesync::workload {

bench::outcome timed_out(const std::string& whose, std::uint64_t limit_ns,
                         const std::string& what) {
  return {bench::status::livelock, whose + " waited longer than " +
                                       std::to_string(limit_ns / 1'000'000) + " ms for " + what};
}

}  // namespace finesync::workload
