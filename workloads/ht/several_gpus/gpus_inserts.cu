#include "gpus_inserts.cuh"

#include <workloads/common/outcomes.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace finesync::ht {

namespace {

/// Arrays of all GPUs, one of each part. `me` is left open.
template <class Part, class ArrayOf>
symmetric_view view_of(const std::vector<Part>& parts, const ArrayOf& array_of) {
  symmetric_view seen{};
  for (const Part& part : parts) seen.base[seen.n++] = reinterpret_cast<std::byte*>(array_of(part));
  return seen;
}

/// \param ended how the run did. \param found what it left. \param done operations of it.
template <class Check>
bench::outcome judged(bench::outcome ended, const Check& found, std::uint64_t done,
                      const problem& what) {
  if (ended.ok()) return workload::wrong_unless(found.passed(what), found.describe(what));
  ended.details["operations_done"] = static_cast<long long>(done);
  return ended;
}

}  // namespace

gpus_inserts::gpus_inserts(const run_config& config, peers all, const launch_shape& shape)
    : verified_inserts(config), launch_(std::move(all), shape) {
  for (const stream& each : launch_.all().streams()) {
    parts_.emplace_back(config.problem, each);
    counters_.emplace_back(config.problem, each);
    sections_.push_back(buffer<std::uint64_t>::zeroed(1, each));
  }
  launch_.all().synchronize();
}

void gpus_inserts::reset() {
  for (table& each : parts_) each.reset();
  for (counters& each : counters_) each.reset();
  for (auto& each : sections_) each.fill_bytes(0);
  launch_.reset();
}

bench::parameters gpus_inserts::effective_parameters() const {
  return launch_.effective_parameters();
}

symmetric_view gpus_inserts::heads() const {
  return view_of(parts_, [](const table& part) { return part.ref().head; });
}
symmetric_view gpus_inserts::nexts() const {
  return view_of(parts_, [](const table& part) { return part.ref().next; });
}
symmetric_view gpus_inserts::counters_of_all() const {
  return view_of(counters_, [](const counters& part) { return part.device_data(); });
}

bench::outcome gpus_inserts::verify_pushes() {
  bench::outcome ended = launch_.ending();
  const table_check found = table::check(parts_);
  return judged(std::move(ended), found, found.found, config().problem);
}

bench::outcome gpus_inserts::verify_counts() {
  bench::outcome ended = launch_.ending();
  const counters_check found = counters::check(counters_);
  return judged(std::move(ended), found, found.counted, config().problem);
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
