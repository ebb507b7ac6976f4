// Owns the vectors, gives them their first values, and checks what a run has made of them.
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

/// \tparam Features of a vector: 16, 32 or 64.
template <unsigned Features>
class model {
 public:
  explicit model(std::shared_ptr<const data_set> data);

  /// Every feature where learning begins.
  void begin_learning();
  /// Every feature 0, to count.
  void begin_counting() { bytes_.fill_bytes(0); }

  /// By how much the products of the vectors miss the ratings, root mean square; not finite where
  /// learning has diverged.
  double rmse() const;
  /// How many vectors hold something else than every rating of theirs, counted `epochs` times.
  std::uint32_t miscounted(unsigned epochs) const;
  /// The part of what there was to count that is missing, where steps are lost.
  double share_lost(unsigned epochs) const;

  /// Takes ratings one after the other, on the host, from where learning begins.
  /// \param order packed ratings, for each epoch the same.
  void learn_sequentially(std::span<const std::uint64_t> order, unsigned epochs);

  template <class Feature>
  model_ref<Feature, Features> ref() const {
    auto* const first = reinterpret_cast<cell<four<Feature>>*>(bytes_.raw_pointer());
    return {{first}, {first + std::size_t{users_} * (Features / 4)}};
  }
  const std::shared_ptr<const data_set>& data() const { return data_; }

 private:
  std::shared_ptr<const data_set> data_;
  std::uint32_t users_;
  std::uint32_t movies_;
  buffer<unsigned char> bytes_;
};

extern template class model<16>;
extern template class model<32>;
extern template class model<64>;

}  // namespace finesync::sgd
