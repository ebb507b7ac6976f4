#include "model.hpp"
#include "model_size.hpp"
#include "step.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
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

template <unsigned Features>
__global__ void begin(cell<float>* features, std::uint32_t side, std::uint32_t number,
                      std::uint32_t learned, float centre) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < number;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t k = i % Features;
    features[i] = k < learned ? first_feature(side, i / Features * learned + k, centre) : 0.0f;
  }
}

/// A feature counts from this times its number, so that one in another's place shows.
constexpr std::uint32_t between_counts = 0x9e3779b9u;

/// Whether a feature is 1 before vectors shrink; the others are 0.
__host__ __device__ constexpr bool shrinks(bool of_user, unsigned feature) {
  return (feature % 2 == 0) == of_user;
}

template <unsigned Features>
__global__ void begin_at_right_angles(cell<float>* features, std::uint32_t users,
                                      std::uint32_t vectors) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    for (unsigned k = 0; k < Features; ++k)
      features[std::size_t{i} * Features + k] = shrinks(i < users, k) ? 1.0f : 0.0f;
  }
}

/// Each thread sums its ratings' squared errors.
template <unsigned Features>
__global__ void sum_squares(ratings_ref all, model_ref<float, Features> vectors,
                            cell<double>* sums) {
  assume_one_dimension();
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

/// The ratings of every vector, or what it counts of them: users first, then movies.
__global__ void count(ratings_ref all, std::uint32_t users, bool by_kind,
                      cell<std::uint32_t>* expected) {
  assume_one_dimension();
  using word = atomic_ref<std::uint32_t, scope::device>;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all.number;
       i += gridDim.x * blockDim.x) {
    const rating r = all[i];
    const std::uint32_t added = by_kind ? counted(r.kind) : 1;
    word(expected[r.user]).fetch_add(added, memory_order::relaxed);
    word(expected[users + r.movie]).fetch_add(added, memory_order::relaxed);
  }
}

template <unsigned Features>
__global__ void compare(const cell<std::uint32_t>* features, const cell<std::uint32_t>* expected,
                        std::uint32_t epochs, std::uint32_t vectors, cell<std::uint32_t>* wrong) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t wanted = epochs * expected[i];
    bool right = true;
    for (std::uint32_t k = i * Features; k < (i + 1) * Features; ++k)
      right = right && features[k] - k * between_counts == wanted;
    if (!right)
      atomic_ref<std::uint32_t, scope::device>(*wrong).fetch_add(1, memory_order::relaxed);
  }
}

/// Whether `steps` steps make `feature` of 1. Each step rounds by 2^-24, which is 3e-4 of it.
__device__ bool has_shrunk(float feature, double steps, double most) {
  const double found = std::log(double{feature}) / std::log(double{decay});
  return std::fabs(std::fmin(found, most) - std::fmin(steps, most)) <= 0.25 + 3e-4 * steps;
}

template <unsigned Features>
__global__ void compare_steps(const cell<float>* features, const cell<std::uint32_t>* ratings_of,
                              std::uint32_t users, std::uint32_t vectors,
                              cell<std::uint32_t>* wrong) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    const double steps = ratings_of[i];
    bool right = true;
    for (unsigned k = 0; k < Features; ++k) {
      const float feature = features[std::size_t{i} * Features + k];
      right =
          right && (shrinks(i < users, k) ? has_shrunk(feature, steps, model<Features>::most_shrunk)
                                          : feature == 0);
    }
    if (!right)
      atomic_ref<std::uint32_t, scope::device>(*wrong).fetch_add(1, memory_order::relaxed);
  }
}

template <unsigned Features>
__global__ void compare_padding(const cell<float>* features, std::uint32_t learned,
                                std::uint32_t vectors, cell<std::uint32_t>* wrong) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    bool right = true;
    for (unsigned k = learned; k < Features; ++k)
      right = right && features[std::size_t{i} * Features + k] == 0;
    if (!right)
      atomic_ref<std::uint32_t, scope::device>(*wrong).fetch_add(1, memory_order::relaxed);
  }
}

float centre_of(float mean, unsigned features) {
  return std::sqrt(std::fabs(mean) / static_cast<float>(features));
}

}  // namespace

template <unsigned Features>
model<Features>::model(std::shared_ptr<const data_set> data, unsigned learned)
    : data_(std::move(data)),
      learned_(learned),
      users_(data_->users()),
      movies_(data_->movies()),
      bytes_(bytes_of_model(users_, movies_, Features)) {}

template <unsigned Features>
void model<Features>::begin_learning() {
  auto* const features = reinterpret_cast<cell<float>*>(bytes_.raw_pointer());
  const float centre = centre_of(data_->mean(), learned_);
  const std::uint32_t of_users = users_ * Features;
  const std::uint32_t of_movies = movies_ * Features;
  launch_independent(begin<Features>, shape_for(of_users), features, 0u, of_users, learned_,
                     centre);
  launch_independent(begin<Features>, shape_for(of_movies), features + of_users, 1u, of_movies,
                     learned_, centre);
}

template <unsigned Features>
void model<Features>::begin_counting() {
  std::vector<std::uint32_t> first(bytes_.size() / sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < first.size(); ++i) first[i] = i * between_counts;
  bytes_.copy_from({reinterpret_cast<const unsigned char*>(first.data()), bytes_.size()});
}

template <unsigned Features>
void model<Features>::begin_shrinking() {
  const std::uint32_t vectors = users_ + movies_;
  launch_independent(begin_at_right_angles<Features>, shape_for(vectors),
                     reinterpret_cast<cell<float>*>(bytes_.raw_pointer()), users_, vectors);
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
  launch_independent(count, shape_for(data_->number()), data_->ref(), users_, true,
                     expected.device_data());
  launch_independent(compare<Features>, shape_for(expected.size()),
                     reinterpret_cast<const cell<std::uint32_t>*>(bytes_.raw_pointer()),
                     expected.device_data(), epochs, static_cast<std::uint32_t>(expected.size()),
                     wrong.device_data());
  return wrong.to_host()[0];
}

template <unsigned Features>
std::uint32_t model<Features>::shrunk_otherwise() const {
  auto ratings_of = buffer<std::uint32_t>::zeroed(std::size_t{users_} + movies_);
  auto wrong = buffer<std::uint32_t>::zeroed(1);
  launch_independent(count, shape_for(data_->number()), data_->ref(), users_, false,
                     ratings_of.device_data());
  launch_independent(compare_steps<Features>, shape_for(ratings_of.size()),
                     reinterpret_cast<const cell<float>*>(bytes_.raw_pointer()),
                     ratings_of.device_data(), users_,
                     static_cast<std::uint32_t>(ratings_of.size()), wrong.device_data());
  return wrong.to_host()[0];
}

template <unsigned Features>
std::uint32_t model<Features>::padded_otherwise() const {
  auto wrong = buffer<std::uint32_t>::zeroed(1);
  const std::uint32_t vectors = users_ + movies_;
  launch_independent(compare_padding<Features>, shape_for(vectors),
                     reinterpret_cast<const cell<float>*>(bytes_.raw_pointer()), learned_, vectors,
                     wrong.device_data());
  return wrong.to_host()[0];
}

template <unsigned Features>
double model<Features>::share_lost(unsigned epochs) const {
  std::vector<std::uint32_t> expected(std::size_t{users_} + movies_);
  for (const std::uint64_t word : data_->ratings().to_host()) {
    const rating r = unpacked(word);
    for (const std::size_t vector : {std::size_t{r.user}, std::size_t{users_} + r.movie})
      expected[vector] += epochs * counted(r.kind);
  }
  const auto bytes = bytes_.to_host();
  std::vector<std::uint32_t> features(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(features.data(), bytes.data(), bytes.size());
  double kept = 0;
  for (std::uint32_t i = 0; i < features.size(); ++i) {
    const std::uint32_t counted_here = features[i] - i * between_counts;
    if (counted_here > expected[i / Features]) return -1;
    kept += counted_here;
  }
  return 1 - kept / Features / std::accumulate(expected.begin(), expected.end(), 0.0);
}

template <unsigned Features>
void model<Features>::learn_sequentially(std::span<const std::uint64_t> order, unsigned epochs) {
  begin_learning();
  std::vector<unsigned char> bytes = bytes_.to_host();
  std::vector<float> features(bytes.size() / sizeof(float));
  std::memcpy(features.data(), bytes.data(), bytes.size());
  for (unsigned epoch = 0; epoch < epochs; ++epoch) {
    for (const std::uint64_t word : order) {
      const rating r = unpacked(word);
      float* const user = &features[std::size_t{r.user} * Features];
      float* const movie = &features[(std::size_t{users_} + r.movie) * Features];
      const double error =
          data_->values()[r.kind] - std::inner_product(user, user + learned_, movie, 0.0);
      for (unsigned k = 0; k < learned_; ++k) {
        const double p = user[k];
        const double q = movie[k];
        user[k] = static_cast<float>(p + learning_rate * (error * q - regularisation * p));
        movie[k] = static_cast<float>(q + learning_rate * (error * p - regularisation * q));
      }
    }
  }
  std::memcpy(bytes.data(), features.data(), bytes.size());
  bytes_.copy_from(bytes);
}

template class model<16>;
template class model<32>;
template class model<64>;

}  // namespace finesync::sgd
