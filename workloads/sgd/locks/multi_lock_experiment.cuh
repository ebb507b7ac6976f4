// Ratings under two locks each, those of the user and of the movie; a thread per rating.
#pragma once

#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/multi_object/multi_lock.cuh>
#include <workloads/sgd/learning_experiment.cuh>
#include <workloads/sgd/step.cuh>

#include <cstdint>

namespace finesync::sgd {

/// A vector in a thread's registers.
template <class Feature, unsigned Fours>
struct locked_vector {
  four<Feature> of[Fours];

  __device__ void load(const cell<four<Feature>>* from) {
    for (unsigned k = 0; k < Fours; ++k) of[k] = from[k];
  }
  __device__ void store(cell<four<Feature>>* to) const {
    for (unsigned k = 0; k < Fours; ++k) to[k] = of[k];
  }
};

/// A multi_lock of one kind of lock. Users have the lower numbers: in ascending order the movie,
/// mostly the more contended of the two, is locked last and so for the shortest time.
template <class Lock, class Way>
struct locks_of_one_kind {
  using primitive = Lock;
  using way = Way;
  lock_table_ref<Lock> locks;
  std::uint32_t users;

  template <class Model>
  __device__ bool run(const Model& vectors, const rating& r, float value,
                      const watchdog_ref& watchdog) const {
    using both = multi_lock<lock_table_ref<Lock>, 2, Way>;
    const auto section = [&] {
      locked_vector<typename Model::feature, Model::features / 4> user;
      locked_vector<typename Model::feature, Model::features / 4> movie;
      user.load(vectors.users[r.user]);
      movie.load(vectors.movies[r.movie]);
      step(user.of, movie.of, value, r.kind);
      user.store(vectors.users[r.user]);
      movie.store(vectors.movies[r.movie]);
    };
    return run_exclusive(both(locks, {r.user, users + r.movie}), section, watchdog);
  }
};

/// The user's lock, and within its section the movie's lock, of another kind. Work without the
/// movie is done before and after the movie is held, as its handoffs are the longest chain.
template <class UserLock, class MovieLock>
struct locks_of_two_kinds {
  using primitive = MovieLock;
  lock_table_ref<UserLock> users;
  lock_table_ref<MovieLock> movies;

  template <class Model>
  __device__ bool run(const Model& vectors, const rating& r, float value,
                      const watchdog_ref& watchdog) const {
    bool done = false;
    const auto with_user = [&] {
      locked_vector<typename Model::feature, Model::features / 4> user;
      user.load(vectors.users[r.user]);
      const auto with_both = [&] {
        locked_vector<typename Model::feature, Model::features / 4> movie;
        movie.load(vectors.movies[r.movie]);
        step(user.of, movie.of, value, r.kind);
        movie.store(vectors.movies[r.movie]);
      };
      done = run_exclusive(movies[r.movie], with_both, watchdog);
      if (done) user.store(vectors.users[r.user]);
    };
    return run_exclusive(users[r.user], with_user, watchdog) && done;
  }
};

template <class Locks, class Model>
__global__ void rate_under_locks(Locks locks, ratings_ref all, Model vectors,
                                 watchdog_ref watchdog) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all.number;
       i += gridDim.x * blockDim.x) {
    const rating r = all[i];
    if (!locks.run(vectors, r, all.values[r.kind], watchdog)) return;
  }
  watchdog.report_done();
}

template <class Lock, class Way>
class tables_of_one_kind {
 public:
  using ref_type = locks_of_one_kind<Lock, Way>;

  tables_of_one_kind(const data_set& data, lock_layout layout)
      : users_(data.users()), locks_(std::size_t{data.users()} + data.movies(), layout) {}
  void reset() { locks_.reset(); }
  ref_type ref() const { return {locks_.ref(), users_}; }

 private:
  std::uint32_t users_;
  lock_table<Lock> locks_;
};

template <class UserLock, class MovieLock>
class tables_of_two_kinds {
 public:
  using ref_type = locks_of_two_kinds<UserLock, MovieLock>;

  tables_of_two_kinds(const data_set& data, lock_layout layout)
      : users_(data.users(), layout), movies_(data.movies(), layout) {}
  void reset() {
    users_.reset();
    movies_.reset();
  }
  ref_type ref() const { return {users_.ref(), movies_.ref()}; }

 private:
  lock_table<UserLock> users_;
  lock_table<MovieLock> movies_;
};

template <class Tables, unsigned Features>
class multi_lock_experiment final : public learning_experiment<Features> {
  using base = learning_experiment<Features>;
  using locks = typename Tables::ref_type;

 public:
  explicit multi_lock_experiment(const run_config& config)
      // The counting kernel runs on the grid of the learning kernel.
      : base(config.problem,
             workload::grid_for(config, 0, rate_under_locks<locks, model_ref<float, Features>>,
                                rate_under_locks<locks, model_ref<std::uint32_t, Features>>)),
        locks_(this->data(), config.padded_locks ? lock_layout::padded : lock_layout::packed) {}

  bench::parameters effective_parameters() const override {
    bench::parameters effective =
        workload::with_parameters_of<typename locks::primitive>(base::effective_parameters());
    if constexpr (requires { locks::way::simultaneous_attempts; }) {
      using backoff = typename locks::way::backoff;
      workload::add_parameter(effective, "backoff_min_ns", backoff::min_ns);
      workload::add_parameter(effective, "backoff_max_ns", backoff::max_ns);
      workload::add_parameter(effective, "simultaneous_attempts",
                              locks::way::simultaneous_attempts);
    }
    return effective;
  }

 protected:
  void begin() override { locks_.reset(); }
  void start(const model_ref<float, Features>& vectors) override { start_with(vectors); }
  void start(const model_ref<std::uint32_t, Features>& vectors) override { start_with(vectors); }

 private:
  template <class Model>
  void start_with(const Model& vectors) {
    launch_cooperative(rate_under_locks<locks, Model>, this->shape(), locks_.ref(), this->ratings(),
                       vectors, this->timeout());
  }

  Tables locks_;
};

/// For by_features(): locks of one kind, taken in some order, or of two.
template <class Lock, class Way>
struct nested {
  template <unsigned Features>
  using experiment = multi_lock_experiment<tables_of_one_kind<Lock, Way>, Features>;
};
template <class UserLock, class MovieLock>
struct two_kinds {
  template <unsigned Features>
  using experiment = multi_lock_experiment<tables_of_two_kinds<UserLock, MovieLock>, Features>;
};

}  // namespace finesync::sgd
