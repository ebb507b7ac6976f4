// The ratings of an input in device memory, the same for all experiments.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <inputs/ratings/ratings.hpp>
#include <workloads/sgd/rating.hpp>
#include <workloads/sgd/run_config.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace finesync::sgd {

/// The kernel side; trivially copyable, passed by value.
struct ratings_ref {
  std::uint32_t number;
  const cell<std::uint64_t>* ratings;
  const cell<float>* values;  ///< value of each kind

  __device__ rating operator[](std::uint32_t i) const { return unpacked(ratings[i]); }
};

class data_set {
 public:
  /// Numbers users and movies by popularity. \throws bench::infeasible for more than 256 different
  /// values, for too many users or movies, and for no ratings.
  explicit data_set(const inputs::ratings& all);

  std::uint32_t users() const { return users_; }
  std::uint32_t movies() const { return movies_; }
  std::uint32_t number() const { return static_cast<std::uint32_t>(ratings_.size()); }
  /// Largest number of ratings of a user, and of a movie.
  std::uint32_t most_of_user() const { return most_of_user_; }
  std::uint32_t most_of_movie() const { return most_of_movie_; }
  float mean() const { return mean_; }
  const std::vector<float>& values() const { return values_; }

  const buffer<std::uint64_t>& ratings() const { return ratings_; }
  ratings_ref ref() const {
    return {number(), ratings_.device_data(), values_on_device_.device_data()};
  }

 private:
  std::uint32_t users_;
  std::uint32_t movies_;
  std::uint32_t most_of_user_;
  std::uint32_t most_of_movie_;
  float mean_;
  std::vector<float> values_;
  buffer<std::uint64_t> ratings_;
  buffer<float> values_on_device_;
};

/// The data set of a problem. The last one is kept, as most points of a sweep share it and large
/// ones are slow to make. \throws as load_ratings() and data_set() do.
std::shared_ptr<const data_set> data_set_of(const problem& what);

}  // namespace finesync::sgd
