// Primitives for ratings with likely mistakes. The verification of the primitives must reject each.
#include "small.hpp"

#include <simt/fault.hpp>
#include <workloads/sgd/latin_square/latin_square_experiment.cuh>
#include <workloads/sgd/locks/multi_lock_experiment.cuh>
#include <workloads/sgd/servers/edges_experiment.cuh>
#include <workloads/sgd/servers/server_experiment.cuh>

#include <tests/library/locks/broken_tas_locks.cuh>
#include <tests/library/locks/no_lock.hpp>
#include <tests/primitives.hpp>

namespace finesync::sgd {
namespace {

/// Ends with the first failure.
template <class Experiment>
unsigned wrong_seeds(unsigned seeds, simt::memory_kind memory = simt::memory_kind::weak,
                     const run_config& config = crowded()) {
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < seeds && wrong == 0; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, memory));
    Experiment broken(config);
    wrong += !workload::ending(broken).ok();
  }
  return wrong;
}

using lock = tas_lock<scope::device>;

/// Two locks in the order of the rating: every other rating locks its movie first.
struct in_order_of_the_call {
  using primitive = lock;
  lock_table_ref<lock> locks;
  std::uint32_t users;

  template <class Model, class Work, class Watch>
  __device__ bool run(const Model& /*vectors*/, const rating& r, float /*value*/,
                      const Work& /*work*/, const watchdog_ref& watchdog, Watch& /*watch*/) const {
    const std::uint32_t first = r.kind % 2 == 0 ? r.user : users + r.movie;
    const std::uint32_t second = r.kind % 2 == 0 ? users + r.movie : r.user;
    bool done = false;
    const auto section = [&] {
      done = run_exclusive(
          locks[second], [] {}, watchdog);
    };
    return run_exclusive(locks[first], section, watchdog) && done;
  }
};

/// Releases the movie before it has written its vector.
struct one_let_go_early {
  using primitive = lock;
  lock_table_ref<lock> locks;
  std::uint32_t users;

  template <class Model, class Work, class Watch>
  __device__ bool run(const Model& vectors, const rating& r, float value, const Work& /*work*/,
                      const watchdog_ref& watchdog, Watch& /*watch*/) const {
    bool done = false;
    const auto with_user = [&] {
      locked_vector<typename Model::feature, Model::features / 4> user;
      locked_vector<typename Model::feature, Model::features / 4> movie;
      user.load(vectors.users[r.user]);
      done = run_exclusive(
          locks[users + r.movie], [&] { movie.load(vectors.movies[r.movie]); }, watchdog);
      step(user.of, movie.of, value, r.kind);
      movie.store(vectors.movies[r.movie]);
      user.store(vectors.users[r.user]);
    };
    return run_exclusive(locks[r.user], with_user, watchdog) && done;
  }
};

template <class Locks>
struct tables_of_broken : tables_of_one_kind<lock, in_order> {
  using ref_type = Locks;
  using tables_of_one_kind::tables_of_one_kind;
  ref_type ref() const {
    const auto right = tables_of_one_kind::ref();
    return {right.locks, right.users};
  }
};

TEST(broken_locks, are_rejected) {
  const unsigned few = test::seed_budget(10);
  EXPECT_THROW(
      (wrong_seeds<multi_lock_experiment<tables_of_broken<in_order_of_the_call>, 16>>(few)),
      hang_error);
  EXPECT_GT((wrong_seeds<multi_lock_experiment<tables_of_broken<one_let_go_early>, 16>>(few)), 0u);
}

using without_exclusion = multi_lock_experiment<tables_of_one_kind<test::no_lock, in_order>, 16>;

TEST(broken_locks, with_longer_sections_are_rejected) {
  run_config longer = crowded();
  longer.section_work = 1;
  EXPECT_GT(wrong_seeds<without_exclusion>(test::seed_budget(10), simt::memory_kind::weak, longer),
            0u);
}

TEST(broken_locks, are_rejected_in_the_observed_run) {
  const simt::scoped_settings scoped(simt::random_schedule(0));
  without_exclusion broken(crowded());
  static_cast<void>(workload::ending(broken));
  EXPECT_THROW(broken.measure(), bench::failed_run);
}

/// Adds a plain count to each section.
struct counts_sections {
  cell<std::uint32_t>* sections;
  __device__ void spend() const { *sections = *sections + 1; }
};

/// Runs 100 ratings of one movie with such sections. \returns the count.
template <class Tables>
std::uint32_t sections_counted() {
  run_config one = small(0);
  one.problem.input = made_file("one_movie.dat");
  std::ofstream file(one.problem.input);
  for (unsigned i = 0; i < 100; ++i) file << 1 + i % 5 << "::1::" << 1 + i % 5 << "::0\n";
  file.close();
  const auto data = data_set_of(one.problem);
  const model<16> vectors(data, 16);
  Tables locks(*data, lock_layout::packed);
  locks.reset();
  const watchdog timeout;
  const auto count = buffer<std::uint32_t>::zeroed(1);
  launch_cooperative(rate_under_locks<typename Tables::ref_type, model_ref<float, 16>,
                                      counts_sections, workload::no_handoff_watch>,
                     {.blocks = 2, .threads_per_block = 36}, locks.ref(), data->ref(),
                     vectors.ref<float>(), timeout.ref(), data->users(),
                     counts_sections{count.device_data()}, workload::no_handoff_watch{});
  return count.to_host()[0];
}

TEST(added_work, is_part_of_each_section) {
  const simt::scoped_settings scoped(simt::random_schedule(1, simt::memory_kind::weak));
  EXPECT_EQ((sections_counted<tables_of_one_kind<lock, in_order>>()), 100u);
  EXPECT_EQ((sections_counted<tables_of_two_kinds<lock, lock>>()), 100u);
}

/// Event counts without waits: rounds overlap.
struct flags_that_are_always_up {
  struct ref_type {
    __device__ bool await(unsigned, std::uint32_t, const watchdog_ref&) const { return true; }
    __device__ void advance(unsigned, std::uint32_t) const {}
  };
  explicit flags_that_are_always_up(unsigned) {}
  void reset() {}
  ref_type ref() const { return {}; }
};

/// Is free before the writes under it are visible.
struct lock_left_early : tas_lock<scope::device> {
  using tas_lock::tas_lock;
  __device__ void leave(acquisition&) { this->held_.store(0, memory_order::relaxed); }
};

struct overlapping : correct_means {
  using flags = flags_that_are_always_up;
};
struct without_locks : correct_means {
  using lock = test::lock_for_all<scope::block>;
};
struct with_late_locks : correct_means {
  using lock = test::lock_in_two_steps<scope::block>;
};
struct one_tile_twice : correct_means {
  __device__ static unsigned tile_at(const schedule& all, unsigned pass, unsigned round,
                                     unsigned pair) {
    return all.tile_at(pass, round == 1 ? 0 : round, pair);
  }
};

TEST(broken_timetables, are_rejected) {
  const unsigned few = test::seed_budget(20);
  constexpr auto strong = simt::memory_kind::strong;
  EXPECT_GT((wrong_seeds<bipartite_experiment<16, overlapping>>(few, strong)), 0u);
  EXPECT_GT((wrong_seeds<bipartite_experiment<16, without_locks>>(few, strong)), 0u);
  EXPECT_GT((wrong_seeds<bipartite_experiment<16, with_late_locks>>(few, strong)), 0u);
  EXPECT_GT((wrong_seeds<bipartite_experiment<16, one_tile_twice>>(few, strong, small())), 0u);
}

struct users_of_nobody : correct_service {
  using user_lock = test::lock_for_all<scope::device>;
};
struct late_users : correct_service {
  using user_lock = test::lock_in_two_steps<scope::device>;
};
struct early_users : correct_service {
  using user_lock = lock_left_early;
};
struct movies_of_nobody : correct_service {
  using movie_lock = test::lock_for_all<scope::block>;
};

TEST(broken_servers, are_rejected) {
  const unsigned few = test::seed_budget(20);
  constexpr auto strong = simt::memory_kind::strong;
  EXPECT_GT((wrong_seeds<server_experiment<16, users_of_nobody>>(few, strong)), 0u);
  EXPECT_GT((wrong_seeds<server_experiment<16, late_users>>(few, strong)), 0u);
  EXPECT_GT((wrong_seeds<server_experiment<16, early_users>>(few)), 0u);
  EXPECT_GT((wrong_seeds<server_experiment<16, movies_of_nobody>>(few, strong)), 0u);
}

/// Lends a lock, and gives it back at once.
template <class Datum>
struct lends_and_lets_go : paper_nested_protocol<Datum> {
  using base = paper_nested_protocol<Datum>;
  __device__ static void lend(typename base::lock held) { base::leave(held); }
  __device__ static void take_back(typename base::lock) {}
};
/// Acquires nothing.
template <class Datum>
struct acquires_nothing : paper_nested_protocol<Datum> {
  using base = paper_nested_protocol<Datum>;
  __device__ static bool try_take(typename base::lock) { return true; }
  __device__ static void leave(typename base::lock) {}
  __device__ static void take_back(typename base::lock) {}
};

template <template <class> class Protocol>
struct broken_edge_servers {
  template <class Service>
  using pool = paper_nested_server_pool<Service, Protocol<typename Service::datum>>;
};

TEST(broken_edge_servers, are_rejected) {
  using early = edge_server_experiment<16, broken_edge_servers<lends_and_lets_go>>;
  using never = edge_server_experiment<16, broken_edge_servers<acquires_nothing>>;
  const unsigned few = test::seed_budget(10);
  EXPECT_GT(wrong_seeds<early>(few), 0u);
  EXPECT_GT(wrong_seeds<never>(few), 0u);
}

}  // namespace
}  // namespace finesync::sgd
