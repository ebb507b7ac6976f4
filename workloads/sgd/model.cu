#include "model.hpp"
#include "model_size.hpp"
#include "step.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace finesync::sgd {

namespace {

constexpr unsigned threads_per_block = 256;

launch_shape shape_for(std::size_t elements) {
  const std::size_t blocks = (elements + threads_per_block - 1) / threads_per_block;
  const auto most = static_cast<std::size_t>(current_gpu().sms) * 8;
  return {.blocks = static_cast<unsigned>(std::clamp<std::size_t>(blocks, 1, most)),
          .threads_per_block = threads_per_block};
}

__global__ void begin(cell<float>* features, std::uint32_t side, std::uint32_t number,
                      float centre) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < number;
       i += gridDim.x * blockDim.x)
    features[i] = first_feature(side, i, centre);
}

/// Each thread sums its ratings' squared errors.
template <unsigned Features>
__global__ void sum_squares(ratings_ref all, model_ref<float, Features> vectors,
                            cell<double>* sums) {
  double sum = 0;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (std::uint32_t i = thread; i < all.number; i += gridDim.x * blockDim.x) {
    const rating r = all[i];
    const cell<four<float>>* user = vectors.users[r.user];
    const cell<four<float>>* movie = vectors.movies[r.movie];
    float predicted = 0;
    for (unsigned k = 0; k < Features / 4; ++k) predicted += product(user[k], movie[k]);
    const float off = all.values[r.kind] - predicted;
    sum += static_cast<double>(off) * static_cast<double>(off);
  }
  sums[thread] = sum;
}

/// The expected count of every vector: users first, then movies.
__global__ void count(ratings_ref all, std::uint32_t users, cell<std::uint32_t>* expected) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all.number;
       i += gridDim.x * blockDim.x) {
    const rating r = all[i];
    word(expected[r.user]).fetch_add(counted(r.kind), memory_order::relaxed);
    word(expected[users + r.movie]).fetch_add(counted(r.kind), memory_order::relaxed);
  }
}

template <unsigned Features>
__global__ void compare(const cell<std::uint32_t>* features, const cell<std::uint32_t>* expected,
                        std::uint32_t epochs, std::uint32_t vectors, cell<std::uint32_t>* wrong) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t wanted = epochs * expected[i];
    bool right = true;
    for (unsigned k = 0; k < Features; ++k) right = right && features[i * Features + k] == wanted;
    if (!right)
      atomic_ref<std::uint32_t, scope::device>(*wrong).fetch_add(1, memory_order::relaxed);
  }
}

float centre_of(float mean, unsigned features) {
  return std::sqrt(std::fabs(mean) / static_cast<float>(features));
}

}  // namespace

template <unsigned Features>
model<Features>::model(std::shared_ptr<const data_set> data)
    : data_(std::move(data)),
      users_(data_->users()),
      movies_(data_->movies()),
      bytes_(bytes_of_model(users_, movies_, Features)) {}

template <unsigned Features>
void model<Features>::begin_learning() {
  auto* const features = reinterpret_cast<cell<float>*>(bytes_.raw_pointer());
  const float centre = centre_of(data_->mean(), Features);
  const std::uint32_t of_users = users_ * Features;
  const std::uint32_t of_movies = movies_ * Features;
  launch_independent(begin, shape_for(of_users), features, 0u, of_users, centre);
  launch_independent(begin, shape_for(of_movies), features + of_users, 1u, of_movies, centre);
}

template <unsigned Features>
double model<Features>::rmse() const {
  const launch_shape shape = shape_for(data_->number());
  const buffer<double> sums(std::size_t{shape.blocks} * shape.threads_per_block);
  launch_independent(sum_squares<Features>, shape, data_->ref(), ref<float>(), sums.device_data());
  double sum = 0;
  for (const double each : sums.to_host()) sum += each;
  return std::sqrt(sum / data_->number());
}

template <unsigned Features>
std::uint32_t model<Features>::miscounted(unsigned epochs) const {
  auto expected = buffer<std::uint32_t>::zeroed(std::size_t{users_} + movies_);
  auto wrong = buffer<std::uint32_t>::zeroed(1);
  launch_independent(count, shape_for(data_->number()), data_->ref(), users_,
                     expected.device_data());
  launch_independent(compare<Features>, shape_for(expected.size()),
                     reinterpret_cast<const cell<std::uint32_t>*>(bytes_.raw_pointer()),
                     expected.device_data(), epochs, static_cast<std::uint32_t>(expected.size()),
                     wrong.device_data());
  return wrong.to_host()[0];
}

template <unsigned Features>
double model<Features>::share_lost(unsigned epochs) const {
  double expected = 0;
  for (const std::uint64_t word : data_->ratings().to_host())
    expected += 2.0 * Features * epochs * counted(unpacked(word).kind);
  const auto bytes = bytes_.to_host();
  std::vector<std::uint32_t> features(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(features.data(), bytes.data(), bytes.size());
  return 1 - std::accumulate(features.begin(), features.end(), 0.0) / expected;
}

template <unsigned Features>
void model<Features>::learn_sequentially(std::span<const std::uint64_t> order, unsigned epochs) {
  begin_learning();
  std::vector<unsigned char> bytes = bytes_.to_host();
  using vector = four<float>[Features / 4];
  auto* const users = reinterpret_cast<vector*>(bytes.data());
  auto* const movies = users + users_;
  for (unsigned epoch = 0; epoch < epochs; ++epoch) {
    for (const std::uint64_t word : order) {
      const rating r = unpacked(word);
      step(users[r.user], movies[r.movie], data_->values()[r.kind], r.kind);
    }
  }
  bytes_.copy_from(bytes);
}

template class model<16>;
template class model<32>;
template class model<64>;

}  // namespace finesync::sgd
