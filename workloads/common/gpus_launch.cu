#include "gpus_launch.cuh"

#include <workloads/common/effective_parameters.hpp>

#include <set>
#include <utility>

namespace finesync::workload {

namespace {

std::vector<stream> with_default_stream(const peers& all) {
  std::vector<stream> streams{stream()};
  streams.insert(streams.end(), all.streams().begin(), all.streams().end());
  return streams;
}

}  // namespace

gpus_launch::gpus_launch(peers all, const launch_shape& shape)
    : all_(std::move(all)), shape_(shape), before_(with_default_stream(all_)), timeouts_(all_) {}

void gpus_launch::join_in_first() const {
  for (const stream& other : all_.streams().subspan(1)) {
    const device_guard here(other.device());
    const event queued;
    queued.record(other);
    queued.hold(*timed_stream());
  }
}

void gpus_launch::reset() {
  timeouts_.reset();
  all_.synchronize();
}

bench::outcome gpus_launch::ending() const {
  all_.synchronize();
  if (const auto ended = timeouts_.report())
    return {.what = bench::status::timeout, .reason = to_string(*ended)};
  return {};
}

bench::parameters gpus_launch::effective_parameters() const {
  bench::parameters effective = parameters_of(shape_);
  std::set<int> devices;
  for (const stream& each : all_.streams()) devices.insert(each.device());
  add_parameter(effective, "devices",
                all_.processes() ? all_.size() : static_cast<unsigned>(devices.size()));
  return effective;
}

}  // namespace finesync::workload
