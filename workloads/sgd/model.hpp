// Owner of the vectors: initializes them and checks the result of a run.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <workloads/sgd/data_set.hpp>
#include <workloads/sgd/vectors.cuh>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace finesync::sgd {

/// \tparam Features features of a vector in memory: 16, 32 or 64. The first ones learn. The others
/// pad the vector: they begin as zeros, and a step moves a feature by multiples of the two vectors'
/// values of it, so they stay zeros.
template <unsigned Features>
class model {
 public:
  /// \param learned number of features that learn, at least 1.
  model(std::shared_ptr<const data_set> data, unsigned learned);

  /// Sets every feature to its initial value, which does not depend on the padding.
  void begin_learning();
  /// Sets every feature to what it counts from.
  void begin_counting();
  /// Sets the vectors of users and of movies at right angles. If all ratings are zero as well,
  /// there is no error, and a step only multiplies both vectors by `decay`. Steps then commute, and
  /// each vector tells how many it has taken.
  void begin_shrinking();

  /// Root-mean-square error of predicted ratings; not finite if learning has diverged.
  double rmse() const;
  /// Number of vectors that do not hold each of their ratings counted exactly `epochs` times.
  std::uint32_t miscounted(unsigned epochs) const;
  /// Number of vectors that have taken other than one step for each of their ratings, since
  /// begin_shrinking(). A float tells up to 800 of them one by one, more of them to 0.03 %, and no
  /// more than most_shrunk.
  std::uint32_t shrunk_otherwise() const;
  static constexpr double most_shrunk = 400'000;
  /// Number of vectors whose padding is not zero, after learning.
  std::uint32_t padded_otherwise() const;
  /// The missing share of the expected counts, for methods that lose steps; less than 0 if a vector
  /// has counted more than its ratings.
  double share_lost(unsigned epochs) const;

  /// Learns from one rating after the other, on the host, from the initial values. It follows the
  /// formula, for the features that learn, and shares nothing with the kernels' step.
  /// \param order packed ratings, the same for each epoch.
  void learn_sequentially(std::span<const std::uint64_t> order, unsigned epochs);

  template <class Feature>
  model_ref<Feature, Features> ref() const {
    auto* const first = reinterpret_cast<cell<four<Feature>>*>(bytes_.raw_pointer());
    return {{first}, {first + std::size_t{users_} * (Features / 4)}};
  }
  const std::shared_ptr<const data_set>& data() const { return data_; }
  unsigned learned() const { return learned_; }

 private:
  std::shared_ptr<const data_set> data_;
  unsigned learned_;
  std::uint32_t users_;
  std::uint32_t movies_;
  buffer<unsigned char> bytes_;
};

extern template class model<16>;
extern template class model<32>;
extern template class model<64>;

}  // namespace finesync::sgd
