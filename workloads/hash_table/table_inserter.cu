#include "table_inserter.cuh"

#include <finesync/device/gpu.cuh>

namespace finesync::hash_table {

namespace {

launch_shape shape_of(const setup& how, unsigned resident) {
  const unsigned sms = static_cast<unsigned>(current_gpu().sms);
  launch_shape shape{.blocks = how.blocks_per_sm == 0 ? resident : how.blocks_per_sm * sms,
                     .threads_per_block = how.threads_per_block};
  if (shape.blocks > resident || shape.blocks == 0) refuse_launch(shape, resident);
  return shape;
}

}  // namespace

table_inserter::table_inserter(const setup& how, unsigned resident)
    : how_(how), shape_(shape_of(how, resident)), table_(how.what) {}

void table_inserter::reset() {
  table_.reset();
  dog_.reset();
}

outcome table_inserter::check() {
  synchronize();
  if (dog_.fired()) {
    return {.gave_up = true,
            .detail = "a thread waited longer than " + std::to_string(dog_.limit_ns() / 1'000'000) +
                      " ms for its lock"};
  }
  const table_check found = table_.check();
  return {.correct = found.passed(how_.what), .detail = found.describe(how_.what)};
}

std::map<std::string, double> describe(const contention_record& record, const problem& what) {
  const contention_totals sums = record.totals();
  const gpu_properties gpu = current_gpu();
  std::map<std::string, double> seen;
  seen["lock_retries_per_insert"] = static_cast<double>(sums.retries) / what.inserts;
  seen["lock_acquisitions_per_insert"] = static_cast<double>(sums.acquisitions) / what.inserts;
  if (gpu.simulated) return seen;  // its clock is nominal
  if (sums.transfers > 0) {
    const double ns = static_cast<double>(sums.transfer_ns) / static_cast<double>(sums.transfers);
    seen["lock_transfer_ns"] = ns;
    seen["lock_transfer_cycles"] = ns * gpu.clock_khz * 1e-6;
    seen["lock_transfers_per_insert"] = static_cast<double>(sums.transfers) / what.inserts;
  }
  seen["wait_p50_ns"] = record.wait_quantile_ns(0.5);
  seen["wait_p99_ns"] = record.wait_quantile_ns(0.99);
  seen["wait_max_ns"] = static_cast<double>(sums.longest_wait_ns);
  return seen;
}

}  // namespace finesync::hash_table
