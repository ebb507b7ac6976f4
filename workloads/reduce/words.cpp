#include "words.hpp"

#include <inputs/parts.hpp>
#include <inputs/random.cuh>
#include <workloads/common/inputs/last_input.hpp>

#include <numeric>
#include <string>
#include <vector>

namespace finesync::reduce {

resident_words::resident_words(std::uint64_t number) : number_(number), quads_((number + 3) / 4) {
  std::vector<quad_of_words> made(quads_.size());
  const inputs::parts pieces(number);
  std::vector<std::uint64_t> sums(pieces.count());
  pieces.for_each([&](std::size_t piece, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t& word = made[i / 4].words[i % 4];
      word = inputs::random32(1, 0, static_cast<std::uint32_t>(i));
      sums[piece] += word;
    }
  });
  sum_ = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  quads_.keep_copy_of(made);
}

std::shared_ptr<const resident_words> words_of(std::uint64_t number) {
  return workload::last_input(std::to_string(number),
                              [&] { return std::make_shared<const resident_words>(number); });
}

}  // namespace finesync::reduce
