#include <workloads/contest/trial.hpp>

namespace finesync::contest {

outcome given_up(const std::string& whose, std::uint64_t limit_ns, const std::string& what) {
  return {.gave_up = true,
          .detail = whose + " waited longer than " + std::to_string(limit_ns / 1'000'000) +
                    " ms for " + what};
}

}  // namespace finesync::contest
