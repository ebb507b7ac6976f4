#include "learning_experiment.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <workloads/sgd/nested.hpp>
#include <workloads/sgd/step.cuh>

#include <cstring>
#include <type_traits>

namespace finesync::sgd {

namespace {

// Hogwild (Niu, Recht, Re and Wright, NIPS 2011): no lock at all. Two ratings of one user or movie
// may read the same vector, and one of the steps is then lost, feature by feature. What is read and
// written at once are words, relaxed, so that it is at least defined. A bound on what any way to
// keep all steps can reach.
//
// 16 lanes have a rating, of which each has every 16th feature; several ratings are on their way.
constexpr unsigned lanes = 16;
constexpr unsigned in_flight = 4;

template <class Feature>
__device__ atomic_ref<std::uint32_t, scope::device> word_of(cell<four<Feature>>* vector,
                                                            unsigned feature) {
  return atomic_ref<std::uint32_t, scope::device>(
      reinterpret_cast<cell<std::uint32_t>*>(vector)[feature]);
}

template <class To, class From>
__device__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

__device__ float sum_of_lanes(float value) {
  for (unsigned step = 1; step < lanes; step *= 2)
    value += __shfl_xor_sync(0xffffffffu, value, static_cast<int>(step));
  return value;
}

/// A rating on its way, as one lane has it.
template <class Model>
struct flight {
  static constexpr unsigned own = Model::features / lanes;
  using feature = typename Model::feature;

  rating what;
  bool real;
  std::uint32_t user[own];
  std::uint32_t movie[own];

  __device__ void load(const Model& vectors, unsigned lane) {
    for (unsigned k = 0; k < own; ++k) {
      user[k] = word_of(vectors.users[what.user], k * lanes + lane).load(memory_order::relaxed);
      movie[k] = word_of(vectors.movies[what.movie], k * lanes + lane).load(memory_order::relaxed);
    }
  }
  __device__ void step(float value) {
    if constexpr (std::is_same_v<feature, float>) {
      float sum = 0;
      for (unsigned k = 0; k < own; ++k) sum += bits_as<float>(user[k]) * bits_as<float>(movie[k]);
      const float moved = learning_rate * (value - sum_of_lanes(sum));
      for (unsigned k = 0; k < own; ++k) {
        const auto u = bits_as<float>(user[k]);
        const auto m = bits_as<float>(movie[k]);
        user[k] = bits_as<std::uint32_t>(decay * u + moved * m);
        movie[k] = bits_as<std::uint32_t>(decay * m + moved * u);
      }
    } else {
      for (unsigned k = 0; k < own; ++k) {
        user[k] += counted(what.kind);
        movie[k] += counted(what.kind);
      }
    }
  }
  __device__ void store(const Model& vectors, unsigned lane) const {
    if (!real) return;
    for (unsigned k = 0; k < own; ++k) {
      word_of(vectors.users[what.user], k * lanes + lane).store(user[k], memory_order::relaxed);
      word_of(vectors.movies[what.movie], k * lanes + lane).store(movie[k], memory_order::relaxed);
    }
  }
};

/// In blocks of whole warps.
template <class Model>
__global__ void __launch_bounds__(1024) rate_without_locks(ratings_ref all, Model vectors) {
  const unsigned lane = threadIdx.x % lanes;
  const unsigned groups = gridDim.x * blockDim.x / lanes;
  const unsigned mine = (blockIdx.x * blockDim.x + threadIdx.x) / lanes;
  // All lanes of a warp come equally often, as they shuffle together.
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
  explicit hogwild_experiment(const setup& how) : base(how.what, shape_of(how), promise::nothing) {}

 protected:
  void start(const model_ref<float, Features>& vectors) override { start_with(vectors); }
  void start(const model_ref<std::uint32_t, Features>& vectors) override { start_with(vectors); }

 private:
  static launch_shape shape_of(setup how) {
    how.threads_per_block = (how.threads_per_block + 31) / 32 * 32;
    return grid_of(how, max_resident_blocks(rate_without_locks<model_ref<float, Features>>,
                                            how.threads_per_block));
  }
  template <class Model>
  void start_with(const Model& vectors) {
    launch_independent(rate_without_locks<Model>, this->shape(), this->data().ref(), vectors);
  }
};

}  // namespace

std::unique_ptr<bench::experiment> make_hogwild(const setup& how) {
  return by_features<hogwild_experiment>(how);
}

}  // namespace finesync::sgd
