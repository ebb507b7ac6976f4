#include "learning_experiment.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/ptx/message_128.cuh>
#include <workloads/sgd/step.cuh>

#include <cstring>
#include <memory>
#include <type_traits>

namespace finesync::sgd {

namespace {

// Hogwild (Niu, Recht, Re and Wright, NIPS 2011), without locks. Two ratings of one user or movie
// may read the same vector; one of the two steps is then lost, four features at a time. Features
// are read and written as messages: each access is whole and relaxed, so other threads see defined
// values. It is a bound for all methods that keep every step.
//
// A rating takes one lane per four features. Several ratings are in flight.
constexpr unsigned in_flight = 2;

template <class Feature>
__device__ four<Feature> from_message(const message_128& m) {
  four<Feature> features;
  std::memcpy(&features, &m, sizeof(features));
  return features;
}
template <class Feature>
__device__ message_128 to_message(const four<Feature>& features) {
  message_128 m;
  std::memcpy(&m, &features, sizeof(m));
  return m;
}

template <unsigned Lanes>
__device__ float sum_of_lanes(float value) {
  for (unsigned step = 1; step < Lanes; step *= 2)
    value += __shfl_xor_sync(0xffffffffu, value, static_cast<int>(step));
  return value;
}

/// A rating in flight, as seen by one lane.
template <class Model>
struct flight {
  using feature = typename Model::feature;
  static constexpr unsigned lanes = Model::features / 4;

  rating what;
  bool real;
  four<feature> user;
  four<feature> movie;

  __device__ void load(const Model& vectors, unsigned lane) {
    user = from_message<feature>(load_message(part(vectors.users[what.user], lane)));
    movie = from_message<feature>(load_message(part(vectors.movies[what.movie], lane)));
  }
  __device__ void step(float value) {
    if constexpr (std::is_same_v<feature, float>) {
      const float predicted = sum_of_lanes<lanes>(product(user, movie));
      const float moved = learning_rate * (value - predicted);
      const four<float> before = user;
      user = mixed(decay, user, moved, movie);
      movie = mixed(decay, movie, moved, before);
    } else {
      user = plus(user, counted(what.kind));
      movie = plus(movie, counted(what.kind));
    }
  }
  __device__ void store(const Model& vectors, unsigned lane) const {
    if (!real) return;
    store_message(part(vectors.users[what.user], lane), to_message(user));
    store_message(part(vectors.movies[what.movie], lane), to_message(movie));
  }

 private:
  __device__ static cell<message_128>& part(cell<four<feature>>* vector, unsigned lane) {
    return reinterpret_cast<cell<message_128>*>(vector)[lane];
  }
};

/// In blocks of whole warps.
template <class Model>
__global__ void __launch_bounds__(1024) rate_without_locks(ratings_ref all, Model vectors) {
  assume_one_dimension();
  constexpr unsigned lanes = flight<Model>::lanes;
  const unsigned lane = threadIdx.x % lanes;
  const unsigned groups = gridDim.x * blockDim.x / lanes;
  const unsigned mine = (blockIdx.x * blockDim.x + threadIdx.x) / lanes;
  // All lanes of a warp run the same number of iterations, as they shuffle together.
  for (std::uint32_t first = 0; first < all.number; first += in_flight * groups) {
    flight<Model> each[in_flight];
    for (unsigned k = 0; k < in_flight; ++k) {
      const std::uint32_t i = first + mine + k * groups;
      each[k].real = i < all.number;
      each[k].what = all[each[k].real ? i : all.number - 1];
    }
    for (unsigned k = 0; k < in_flight; ++k) each[k].load(vectors, lane);
    for (unsigned k = 0; k < in_flight; ++k) each[k].step(all.values[each[k].what.kind]);
    for (unsigned k = 0; k < in_flight; ++k) each[k].store(vectors, lane);
  }
}

template <unsigned Features>
class hogwild_experiment final : public learning_experiment<Features> {
  using base = learning_experiment<Features>;

 public:
  explicit hogwild_experiment(const run_config& config)
      : base(config, shape_of(config), update_guarantee::nothing) {}

 protected:
  void start(const model_ref<float, Features>& vectors) override { start_with(vectors); }
  void start(const model_ref<std::uint32_t, Features>& vectors) override { start_with(vectors); }

 private:
  static launch_shape shape_of(run_config config) {
    config.threads_per_block = (config.threads_per_block + 31) / 32 * 32;
    return workload::grid_for(config, 0, rate_without_locks<model_ref<float, Features>>);
  }
  template <class Model>
  void start_with(const Model& vectors) {
    launch_independent(rate_without_locks<Model>, this->shape(), this->ratings(), vectors);
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_hogwild(const run_config& config) {
  return by_features<hogwild_experiment>(config);
}

}  // namespace finesync::sgd
