#include "gpus_inserts.cuh"

#include <workloads/common/outcomes.hpp>

#include <utility>

namespace finesync::ht {

gpus_inserts::gpus_inserts(const run_config& config, peers all, const launch_shape& shape)
    : verified_inserts(config), launch_(std::move(all), shape) {
  for (const stream& each : this->all().streams()) {
    parts_.emplace_back(config.problem, each);
    sections_.push_back(buffer<std::uint64_t>::zeroed(1, each));
  }
  this->all().synchronize();
}

void gpus_inserts::reset() {
  for (table& each : parts_) each.reset();
  for (auto& each : sections_) each.fill_bytes(0);
  launch_.reset();
}

bench::parameters gpus_inserts::effective_parameters() const {
  return launch_.effective_parameters();
}

bench::outcome gpus_inserts::verify_pushes() {
  bench::outcome ended = launch_.ending();
  const table_check found = table::check(parts_);
  if (ended.ok())
    return workload::wrong_unless(found.passed(config().problem), found.describe(config().problem));
  ended.details["operations_done"] = static_cast<long long>(found.found);
  return ended;
}

bench::outcome gpus_inserts::verify_empties() {
  bench::outcome ended = launch_.ending();
  std::uint64_t ran = 0;
  for (const auto& each : sections_) ran += each.to_host()[0];
  if (ended.ok()) return verify_count(ran);
  ended.details["operations_done"] = static_cast<long long>(ran);
  return ended;
}

}  // namespace finesync::ht
