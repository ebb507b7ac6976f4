#include "gpus_inserts.cuh"

#include <workloads/common/of_all_gpus.cuh>
#include <workloads/common/outcomes.hpp>

#include <cstdint>
#include <numeric>
#include <utility>

namespace finesync::ht {

namespace {

const problem& that_fits_on(const peers& all, const problem& what) {
  for (const unsigned gpu : all.own()) that_fits(what, all.stream_of(gpu), all.grids_beside(gpu));
  return what;
}

/// The words of a piece.
buffer<std::uint32_t> words_on(symmetric_memory& memory, unsigned gpu) {
  const buffer<std::uint32_t>& piece = memory.piece(gpu);
  return buffer<std::uint32_t>::borrowed(piece.raw_pointer(), piece.size(), piece.own_stream());
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
    : verified_inserts(config),
      launch_(std::move(all), shape),
      heads_(this->all(), that_fits_on(this->all(), config.problem).table_size),
      nexts_(this->all(), config.problem.inserts),
      counts_(this->all(), config.problem.table_size) {
  for (const unsigned gpu : this->all().own()) {
    parts_.emplace_back(config.problem, words_on(heads_, gpu), words_on(nexts_, gpu));
    counters_.emplace_back(config.problem, words_on(counts_, gpu));
    sections_.push_back(buffer<std::uint64_t>::zeroed(1, this->all().stream_of(gpu)));
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

bench::outcome gpus_inserts::verify_pushes() {
  bench::outcome ended = launch_.ending();
  std::vector<table_check> checks;
  std::vector<std::vector<std::uint32_t>> heads;
  for (table& part : parts_) {
    checks.push_back(part.check());
    heads.push_back(part.heads());
  }
  const table_check found =
      table_check::of_parts(all().gather(checks), all().gather_lists(std::move(heads)));
  return judged(std::move(ended), found, found.found, config().problem);
}

bench::outcome gpus_inserts::verify_counts() {
  bench::outcome ended = launch_.ending();
  std::vector<std::vector<std::uint32_t>> counts;
  for (const counters& part : counters_) counts.push_back(part.counted());
  const counters_check found = counters::check(
      config().problem, all().gather_lists(std::move(counts)), all().streams().front());
  return judged(std::move(ended), found, found.counted, config().problem);
}

bench::outcome gpus_inserts::verify_empties() {
  bench::outcome ended = launch_.ending();
  const auto counts = workload::joined(workload::of_all_gpus(all(), sections_));
  const std::uint64_t ran = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (ended.ok()) return verify_count(ran);
  ended.details["operations_done"] = static_cast<long long>(ran);
  return ended;
}

}  // namespace finesync::ht
