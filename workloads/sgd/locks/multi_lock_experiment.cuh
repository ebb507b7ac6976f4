// Ratings under two locks each, those of the user and of the movie; a thread per rating.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/multi_object/multi_lock.cuh>
#include <workloads/common/arithmetic.cuh>
#include <workloads/common/observers/lock_handoff_observer.cuh>
#include <workloads/sgd/held_vectors.cuh>
#include <workloads/sgd/learning_experiment.cuh>
#include <workloads/sgd/step.cuh>

#include <cstdint>

namespace finesync::sgd {

/// A multi_lock of one kind of lock. Users have the lower numbers: in ascending order the movie,
/// mostly the more contended of the two, is locked last and so for the shortest time.
template <class Lock, class Way>
struct locks_of_one_kind {
  using primitive = Lock;
  using way = Way;
  lock_table_ref<Lock> locks;
  std::uint32_t users;

  template <class Model, class Work, class Watch>
  __device__ bool run(const Model& vectors, const rating& r, float value, const Work& work,
                      const watchdog_ref& watchdog, Watch& watch) const {
    using observer = decltype(watch.observer_of(0));
    using both = multi_lock<lock_table_ref<Lock>, 2, Way, observer>;
    observer observers[2] = {watch.observer_of(0), watch.observer_of(1)};
    const auto section = [&] {
      step_in_memory<Model::features / 4>(vectors.users[r.user], vectors.movies[r.movie], value,
                                          r.kind);
      work.spend();
    };
    return run_exclusive(both(locks, {r.user, users + r.movie}, observers), section, watchdog);
  }
};

/// The user's lock, and within its section the movie's lock, of another kind. Work without the
/// movie is done before and after the movie is held, as its handoffs are the longest chain.
template <class UserLock, class MovieLock>
struct locks_of_two_kinds {
  using primitive = MovieLock;
  lock_table_ref<UserLock> users;
  lock_table_ref<MovieLock> movies;

  template <class Model, class Work, class Watch>
  __device__ bool run(const Model& vectors, const rating& r, float value, const Work& work,
                      const watchdog_ref& watchdog, Watch& watch) const {
    bool done = false;
    const auto with_user = [&] {
      locked_vector<typename Model::feature, Model::features / 4> user;
      user.load(vectors.users[r.user]);
      const auto with_both = [&] {
        locked_vector<typename Model::feature, Model::features / 4> movie;
        movie.load(vectors.movies[r.movie]);
        step(user.of, movie.of, value, r.kind);
        movie.store(vectors.movies[r.movie]);
        work.spend();
      };
      done = run_exclusive(movies[r.movie], with_both, watchdog, watch.observer_of(1));
      if (done) user.store(vectors.users[r.user]);
    };
    return run_exclusive(users[r.user], with_user, watchdog, watch.observer_of(0)) && done;
  }
};

/// \tparam Work added_work or no_added_work. \tparam Watch of the two locks: a handoff_watch, or
/// no_handoff_watch. It numbers movies after users.
template <class Locks, class Model, class Work, class Watch>
__global__ void rate_under_locks(Locks locks, ratings_ref all, Model vectors, watchdog_ref watchdog,
                                 std::uint32_t users, Work work, Watch watch) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all.number;
       i += gridDim.x * blockDim.x) {
    const rating r = all[i];
    watch.begin(r.user, users + r.movie);
    if (!locks.run(vectors, r, all.values[r.kind], work, watchdog, watch)) return;
  }
  watch.finish();
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
  using learning = model_ref<float, Features>;
  using counting = model_ref<std::uint32_t, Features>;
  using as_it_is = workload::no_added_work;
  using longer = workload::added_work;
  using observed = workload::handoff_watch;
  using unobserved = workload::no_handoff_watch;
  template <class Model, class Work, class Watch>
  static constexpr auto* kernel = rate_under_locks<locks, Model, Work, Watch>;

 public:
  explicit multi_lock_experiment(const run_config& config)
      // Other kernels run on the grid of the timed one.
      : base(config, workload::grid_for(config, 0, kernel<learning, as_it_is, unobserved>,
                                        kernel<learning, longer, unobserved>,
                                        kernel<learning, as_it_is, observed>,
                                        kernel<counting, as_it_is, unobserved>)),
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

  /// Also observes the hand-offs of locks; not with added work, whose rows are not about them.
  bench::counters measure() override {
    bench::counters seen = base::measure();
    if (this->section_work() != 0) return seen;
    const data_set& data = this->data();
    const workload::handoff_record<observed> record(std::size_t{data.users()} + data.movies());
    bench::expect_ok(this->verify_shrinking(
        [&](const learning& vectors) { start_with(vectors, as_it_is{}, record.watch()); }));
    seen.merge(record.describe(data.number()));
    return seen;
  }

 protected:
  void begin() override { locks_.reset(); }
  void start(const learning& vectors) override {
    if (const std::uint32_t units = this->section_work(); units != 0)
      start_with(vectors, longer{units}, unobserved{});
    else
      start_with(vectors, as_it_is{}, unobserved{});
  }
  void start(const counting& vectors) override { start_with(vectors, as_it_is{}, unobserved{}); }

 private:
  template <class Model, class Work, class Watch>
  void start_with(const Model& vectors, const Work& work, const Watch& watch) {
    launch_cooperative(kernel<Model, Work, Watch>, this->shape(), locks_.ref(), this->ratings(),
                       vectors, this->timeout(), this->data().users(), work, watch);
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
