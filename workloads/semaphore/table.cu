#include "sections.cuh"
#include "table.hpp"

#include <finesync/device/clock.cuh>
#include <finesync/device/memory_model.cuh>
#include <workloads/common/half_warp_lines.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <numeric>

namespace finesync::semaphore {

using workload::half_warp_lines;

namespace {

unsigned shares_of(const run_config& config) {
  return config.writer_grows ? config.blocks_per_sm : 1;
}

std::size_t words_of_share(const run_config& config) {
  if (config.writer_grows)
    return half_warp_lines::words_of_block(config.threads_per_block, config.ldst);
  return std::size_t{config.ldst} * config.threads_per_block;
}

/// Whether a word is one of a thread's; others pad lines.
bool is_written(const run_config& config, std::size_t word) {
  if (config.ldst == 0) return word % two_words::second == 0;
  if (!config.writer_grows) return true;
  constexpr std::size_t line = half_warp_lines::line_words;
  const std::size_t half_warp = word % words_of_share(config) / (line * (config.ldst + 1));
  return half_warp * line + word % line < config.threads_per_block;
}

std::size_t words_of(const run_config& config) {
  if (config.ldst == 0) return two_words::words;
  return shares_of(config) * words_of_share(config);
}

}  // namespace

std::uint64_t run_record::acquisitions() const {
  const auto all = everybody();
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

std::vector<std::uint64_t> run_record::everybody() const {
  std::vector<std::uint64_t> all = readers;
  all.insert(all.end(), writers.begin(), writers.end());
  return all;
}

// More words than SM slots: the allocation after it then keeps the L2 lines of the recorded runs.
// With 256 words the ticket semaphore's lines are others, which took it 6 to 9 % longer at 8 blocks
// per SM of one H200.
constexpr std::size_t arrived_words = 1024;
static_assert(arrived_words >= 2 * sm_slots);  // the second half numbers the blocks

table::table(const run_config& config, unsigned blocks)
    : config_(config),
      words_(words_of(config)),
      arrived_(arrived_words),
      writes_(blocks),
      acquisitions_(blocks),
      counters_(3 * line_bytes / sizeof(std::uint32_t)) {
  reset();
}

void table::reset() {
  for (auto* part : {&words_, &arrived_, &writes_, &acquisitions_, &counters_}) part->fill_bytes(0);
}

shares_ref table::ref() const {
  constexpr std::size_t line = line_bytes / sizeof(std::uint32_t);
  auto* counters = counters_.device_data();
  return {{.ldst = config_.ldst,
           .permits = config_.writers ? config_.size : 0,
           .sms = config_.sms,
           .words = words_.device_data(),
           .arrived = arrived_.device_data(),
           .writes = writes_.device_data(),
           .acquisitions = acquisitions_.device_data(),
           .torn = counters,
           .inside = counters + line,
           .overfull = counters + 2 * line},
          shares_of(config_),
          arrived_.device_data() + arrived_words / 2};
}

run_record table::read() const {
  constexpr std::size_t line = line_bytes / sizeof(std::uint32_t);
  const auto counters = counters_.to_host();
  const auto acquisitions = acquisitions_.to_host();
  const auto writes = writes_.to_host();
  run_record seen{.readers = {},
                  .writers = {},
                  .torn = counters[0],
                  .overfull = counters[2 * line],
                  .consistent = true};
  for (std::size_t block = 0; block < writes.size(); ++block)
    (writes[block] != 0 ? seen.writers : seen.readers).push_back(acquisitions[block]);
  const auto version = static_cast<std::uint32_t>(
      std::accumulate(seen.writers.begin(), seen.writers.end(), std::uint64_t{0}));
  const auto words = words_.to_host();
  for (std::size_t i = 0; i < words.size(); ++i)
    seen.consistent &= !is_written(config_, i) || words[i] == version;
  return seen;
}

bench::outcome verify_rounds(const run_record& seen, unsigned rounds) {
  const auto all = seen.everybody();
  const auto short_of = std::count_if(all.begin(), all.end(), [&](std::uint64_t acquisitions) {
    return rounds != any_rounds && acquisitions != rounds;
  });
  return workload::wrong_unless(short_of == 0,
                                std::to_string(short_of) + " blocks short of their rounds");
}

bench::outcome verify_sections(const run_record& seen) {
  const bool right = seen.torn == 0 && seen.overfull == 0 && seen.consistent;
  return workload::wrong_unless(
      right, std::to_string(seen.torn) + " torn reads, " + std::to_string(seen.overfull) +
                 " entries beyond the size, writes " + (seen.consistent ? "all there" : "lost"));
}

}  // namespace finesync::semaphore
