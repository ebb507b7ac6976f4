#include <workloads/mutex/counted_words.hpp>

#include <numeric>

namespace finesync::mutex {

namespace {

std::size_t words_of(const run_config& config) {
  return config.ldst == 0 ? 1 : std::size_t{config.ldst} * config.threads_per_block;
}

}  // namespace

bench::outcome verify_rounds(std::span<const std::uint64_t> acquisitions_by_block,
                             unsigned rounds) {
  for (const std::uint64_t count : acquisitions_by_block) {
    if (count != rounds) {
      return {bench::status::wrong,
              "a block had " + std::to_string(count) + " of " + std::to_string(rounds) + " rounds"};
    }
  }
  return {};
}

bench::outcome verify_counts(std::span<const std::uint32_t> words, std::uint64_t sections) {
  for (const std::uint32_t count : words) {
    if (count != static_cast<std::uint32_t>(sections)) {
      return {bench::status::wrong, "a word counts " + std::to_string(count) + " of " +
                                        std::to_string(sections) + " sections"};
    }
  }
  return {};
}

counted_words::counted_words(const run_config& config, unsigned blocks)
    : words_(words_of(config)), acquisitions_(blocks) {
  reset();
}

void counted_words::reset() {
  words_.fill_bytes(0);
  acquisitions_.fill_bytes(0);
}

std::vector<std::uint64_t> counted_words::acquisitions_by_block() const {
  const auto counts = acquisitions_.to_host();
  return {counts.begin(), counts.end()};
}

std::uint64_t counted_words::acquisitions() const {
  const auto by_block = acquisitions_by_block();
  return std::accumulate(by_block.begin(), by_block.end(), std::uint64_t{0});
}

}  // namespace finesync::mutex
