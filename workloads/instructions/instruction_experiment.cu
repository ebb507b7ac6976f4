#include "instruction_experiment.cuh"

#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/stream.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/outcomes.hpp>
#include <workloads/instructions/taken_times.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>

namespace finesync::instructions {

namespace {

constexpr unsigned blocks_of_cluster = 2;

/// \throws bench::infeasible for what the instruction is not made for.
const run_config& checked(const form& of, const run_config& config) {
  const unsigned threads = config.threads_per_block;
  const unsigned together = std::max(1u, of.threads_together);
  const auto refuse_unless = [](bool fits, const std::string& why) {
    if (!fits) throw bench::infeasible(why);
  };
  refuse_unless(of.threads_together != 0 || threads % 32 == 0, "a barrier takes whole warps");
  refuse_unless(
      threads % together == 0 && threads % of.threads_per_word == 0,
      "it takes " + std::to_string(std::max(together, of.threads_per_word)) + " threads together");
  refuse_unless(threads <= of.most_threads, "there are named barriers for at most " +
                                                std::to_string(of.most_threads) + " threads");
  refuse_unless(of.word_bytes == 0 || config.stride % of.word_bytes == 0,
                "--stride is a multiple of the word's bytes");
  return config;
}

unsigned words_in_shared(const form& of, const run_config& config) {
  return of.words_in_shared ? std::max(config.stride * config.threads_per_block, 8u) : 0;
}

launch_shape shape_of(const form& of, const run_config& config) {
  launch_shape shape{.threads_per_block = config.threads_per_block};
  const unsigned sms = config.sms == 0 ? static_cast<unsigned>(current_gpu().sms) : config.sms;
  shape.cluster_blocks = of.in_clusters ? blocks_of_cluster : 1;
  const unsigned blocks = sms * config.blocks_per_sm;
  shape.blocks = (blocks + shape.cluster_blocks - 1) / shape.cluster_blocks * shape.cluster_blocks;
  shape.shared_bytes = block_memory::bytes(config.threads_per_block) + words_in_shared(of, config);
  if (config.what == measure::latency) shape.shared_bytes += config.rounds * std::size_t{8};
  return shape;
}

double quantile(std::vector<std::uint32_t> values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

instruction_experiment::instruction_experiment(const form& of, const run_config& config)
    : form_(of),
      config_(checked(of, config)),
      shape_(shape_of(of, config)),
      block_bytes_(of.words_in_shared ? words_in_shared(of, config)
                                      : config.stride * config.threads_per_block),
      words_(std::max<std::size_t>(std::size_t{block_bytes_} * shape_.blocks, 8) / 4),
      seen_(threads()),
      cycles_(std::size_t{2} * config.rounds * shape_.blocks),
      spans_(std::size_t{3} * shape_.blocks) {}

void instruction_experiment::reset() {
  words_.fill_bytes(form_.initial);
  seen_.fill_bytes(0xff);
  cycles_.fill_bytes(0xff);
  spans_.fill_bytes(0xff);
  watchdog_.reset();
}

void instruction_experiment::launch() {
  const launched run{
      .rounds = config_.rounds,
      .zero = 0,
      .stride = config_.stride,
      .block_bytes = block_bytes_,
      .words_at = block_memory::bytes(shape_.threads_per_block),
      .cycles_at = block_memory::bytes(shape_.threads_per_block) + words_in_shared(form_, config_),
      .words = words_.device_data(),
      .seen = seen_.device_data(),
      .cycles = cycles_.device_data(),
      .spans = spans_.device_data()};
  launch_independent(config_.what == measure::latency ? form_.chain : form_.many, shape_, run,
                     watchdog_.ref());
}

bench::outcome instruction_experiment::verify() {
  stream().synchronize();
  if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
  const std::vector<std::uint64_t> seen = seen_.to_host();
  const bench::outcome ended = form_.word_bytes == 0 ? verify_threads(seen) : verify_words(seen);
  return ended.ok() ? verify_times() : ended;
}

bench::outcome instruction_experiment::verify_times() const {
  const bool ticks = !current_gpu().simulated;
  const std::string fault = config_.what == measure::latency
                                ? fault_of_cycles(cycles_.to_host(), ticks)
                                : fault_of_spans(spans_.to_host(), ticks);
  return workload::wrong_unless(fault.empty(), fault);
}

/// Of all blocks. \param with the instructions, or without.
std::vector<std::uint32_t> instruction_experiment::cycles_of_rounds(bool with) const {
  const std::vector<std::uint32_t> all = cycles_.to_host();
  std::vector<std::uint32_t> found;
  for (std::size_t block = 0; block < shape_.blocks; ++block) {
    const auto own =
        all.begin() + static_cast<std::ptrdiff_t>((2 * block + (with ? 0 : 1)) * config_.rounds);
    found.insert(found.end(), own, own + config_.rounds);
  }
  return found;
}

/// The first byte of the word that a thread's instructions are for.
std::uint64_t instruction_experiment::word_of(unsigned block, unsigned thread) const {
  const unsigned owner = form_.words_of_next_block
                             ? block / shape_.cluster_blocks * shape_.cluster_blocks +
                                   (block + 1) % shape_.cluster_blocks
                             : block;
  return std::uint64_t{block_bytes_} * owner +
         std::uint64_t{config_.stride} * (thread / form_.threads_per_word);
}

bench::outcome instruction_experiment::verify_words(const std::vector<std::uint64_t>& seen) const {
  struct sums {
    std::uint64_t seen = 0, threads = 0;
  };
  std::map<std::uint64_t, sums> words;
  for (unsigned i = 0; i < threads(); ++i) {
    sums& of_word = words[word_of(i / shape_.threads_per_block, i % shape_.threads_per_block)];
    of_word.seen += seen[i];
    ++of_word.threads;
  }
  const std::vector<std::uint32_t> last = words_.to_host();
  for (const auto& [at, of_word] : words) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char*>(last.data()) + at, form_.word_bytes);
    if (!form_.right(value, of_word.seen, of_word.threads, executions()))
      return {bench::status::wrong,
              "the word at byte " + std::to_string(at) + " is " + std::to_string(value) + " and " +
                  std::to_string(of_word.seen) + " was returned in all, after " +
                  std::to_string(executions()) + " instructions by each of " +
                  std::to_string(of_word.threads) + " threads"};
  }
  return {};
}

bench::outcome instruction_experiment::verify_threads(
    const std::vector<std::uint64_t>& seen) const {
  std::vector<std::uint64_t> expected;
  for (unsigned i = 0; i < shape_.threads_per_block; ++i)
    expected.push_back(form_.expected(i, shape_.threads_per_block, executions()));
  for (unsigned i = 0; i < threads(); ++i) {
    const std::uint64_t right = expected[i % shape_.threads_per_block];
    if (seen[i] != right)
      return {bench::status::wrong, "thread " + std::to_string(i) + " was given " +
                                        std::to_string(seen[i]) + " in all, not " +
                                        std::to_string(right)};
  }
  return {};
}

bench::counters instruction_experiment::measure() {
  if (current_gpu().simulated) return {};
  reset();
  launch();
  bench::expect_ok(verify());
  return config_.what == measure::latency ? latency() : throughput();
}

bench::counters instruction_experiment::latency() const {
  const std::vector<std::uint32_t> with = cycles_of_rounds(true);
  const double without = quantile(cycles_of_rounds(false), .5);
  const auto each = [&](double share) { return (quantile(with, share) - without) / in_a_row; };
  return {{"latency_cycles_p25", each(.25)},
          {"latency_cycles_p50", each(.5)},
          {"latency_cycles_p75", each(.75)}};
}

bench::counters instruction_experiment::throughput() const {
  struct span {
    std::uint64_t began = ~std::uint64_t{0}, ended = 0;
  };
  std::map<std::uint64_t, span> of_sms;
  const std::vector<std::uint64_t> all = spans_.to_host();
  for (std::size_t block = 0; block < shape_.blocks; ++block) {
    span& here = of_sms[all[3 * block]];
    here.began = std::min(here.began, all[3 * block + 1]);
    here.ended = std::max(here.ended, all[3 * block + 2]);
  }
  double cycles = 0;
  for (const auto& [sm, here] : of_sms) cycles += static_cast<double>(here.ended - here.began);
  const double in_rounds = operations() * config_.rounds / (1 + config_.rounds);
  return {{"operations_per_cycle_and_sm", in_rounds / cycles},
          {"sms_used", static_cast<double>(of_sms.size())}};
}

bench::parameters instruction_experiment::effective_parameters() const {
  bench::parameters effective = workload::parameters_of(shape_);
  const char* kernel = config_.what == measure::latency ? "time_chain" : "run_many";
  effective["kernel"] = std::string(kernel) + "<" + form_.name + ">";
  return effective;
}

double instruction_experiment::operations() const {
  const unsigned together =
      form_.threads_together == 0 ? shape_.threads_per_block : form_.threads_together;
  const unsigned clusters = form_.words_in_shared ? 1 : shape_.cluster_blocks;
  return static_cast<double>(threads()) / together / clusters * executions();
}

}  // namespace finesync::instructions
