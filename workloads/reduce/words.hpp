// The words to be summed: random, and the same for all versions.
#pragma once

#include <finesync/host/buffer.cuh>

#include <cstdint>
#include <memory>

namespace finesync::reduce {

/// Four words, read in one instruction.
struct alignas(16) quad_of_words {
  std::uint32_t words[4] = {};
};

/// In device memory; immutable.
class resident_words {
 public:
  explicit resident_words(std::uint64_t number);

  std::uint64_t number() const { return number_; }
  /// The exact sum.
  std::uint64_t sum() const { return sum_; }
  /// The words, and zeros up to a whole quad.
  const quad_of_words* quads() const { return quads_.raw_pointer(); }
  std::uint64_t number_of_quads() const { return quads_.size(); }

 private:
  std::uint64_t number_;
  std::uint64_t sum_ = 0;
  buffer<quad_of_words> quads_;
};

/// The last words are kept, as most points of a sweep share them.
std::shared_ptr<const resident_words> words_of(std::uint64_t number);

}  // namespace finesync::reduce
