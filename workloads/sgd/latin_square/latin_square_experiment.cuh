// Ratings in tiles, each of a group of users and a group of movies, in the rounds of a Latin
// square. A block keeps a group of users in its shared memory for all rounds of a pass. It is
// paired with each group of movies once. Groups of movies stay in global memory; counts of rounds
// pass them between blocks.
#pragma once

#include "tile_worker.cuh"
#include "tiles.hpp"

#include <finesync/conflict_free/entry_double_buffer.cuh>
#include <finesync/conflict_free/group_rounds.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/ptx/copy_async.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/gpu.cuh>
#include <workloads/common/timing.hpp>
#include <workloads/sgd/learning_experiment.cuh>

#include <algorithm>
#include <bit>
#include <string>

namespace finesync::sgd {

/// The policies of the Latin-square rounds, which tests replace.
struct correct_means {
  using flags = group_rounds<>;
  using lock = tas_lock<scope::block>;      ///< lock of a user or a movie within a pair
  static constexpr unsigned per_group = 2;  ///< see tile_worker
  __device__ static unsigned tile_at(const schedule& all, unsigned pass, unsigned round,
                                     unsigned pair) {
    return all.tile_at(pass, round, pair);
  }
};

inline constexpr unsigned max_threads = 384;

/// Sizes of a block's arrays in shared memory.
struct tile_sizes {
  unsigned users;
  unsigned movies;
  unsigned staged;   ///< movies with vectors in shared memory while the block has their group
  unsigned entries;  ///< staged entries
  unsigned runs;     ///< staged runs
};

/// Layout of a block's shared memory.
template <class Feature, unsigned Features, class Lock, unsigned PerGroup>
class tile_memory {
  using entry_copies = entry_double_buffer<std::uint32_t>;
  using run_copies = entry_double_buffer<run>;
  using scratch = typename tile_worker<Feature, Features, Lock, PerGroup>::scratch;
  static constexpr unsigned fours = Features / 4;
  static constexpr unsigned max_warps = max_threads / 32;

  // In this order, each a multiple of 16 bytes.
  static constexpr std::size_t of_scratch = max_warps * sizeof(scratch);
  static constexpr std::size_t of_values = max_kinds * sizeof(float);
  static constexpr std::size_t of_powers = (powers_of_decay + 3) / 4 * 4 * sizeof(float);
  static constexpr std::size_t of_counters = 16;
  static constexpr std::size_t of_all = of_scratch + of_values + of_powers + of_counters;

 public:
  __host__ __device__ static constexpr std::size_t bytes(const tile_sizes& sizes) {
    return of_all + entry_copies::bytes(sizes.entries) + run_copies::bytes(sizes.runs) +
           (std::size_t{sizes.users} + sizes.staged) * fours * sizeof(four<Feature>) +
           (std::size_t{sizes.users} + sizes.movies) * sizeof(typename Lock::state);
  }

  __device__ tile_memory(const tiles_ref& tiles, const tile_sizes& sizes)
      : values(reinterpret_cast<cell<float>*>(shared_bytes() + of_scratch)),
        powers(values + max_kinds),
        counters(reinterpret_cast<cell<std::uint32_t>*>(after_all() - of_counters)),
        entries(as_queues(tiles.entries), after_all(), sizes.entries),
        runs(as_queues(tiles.runs), after_all() + entry_copies::bytes(sizes.entries), sizes.runs),
        users(reinterpret_cast<cell<four<Feature>>*>(
            after_all() + entry_copies::bytes(sizes.entries) + run_copies::bytes(sizes.runs))),
        staged(users + std::size_t{sizes.users} * fours),
        user_locks(
            reinterpret_cast<typename Lock::state*>(staged + std::size_t{sizes.staged} * fours)),
        movie_locks(user_locks + sizes.users) {}

  __device__ scratch& own_scratch() const {
    return reinterpret_cast<scratch*>(shared_bytes())[threadIdx.x / 32];
  }

  cell<float>* values;
  cell<float>* powers;
  cell<std::uint32_t>* counters;  ///< portions taken, for this round and the next
  entry_copies entries;
  run_copies runs;
  cell<four<Feature>>* users;
  cell<four<Feature>>* staged;
  typename Lock::state* user_locks;
  typename Lock::state* movie_locks;  ///< follow the user locks

 private:
  /// Adapts entries to the queues that a double buffer reads.
  template <class Entry>
  __device__ static queues_ref<Entry> as_queues(cell<Entry>* entries) {
    return {nullptr, 0, entries};
  }
  __device__ static unsigned char* after_all() { return shared_bytes() + of_all; }
};

/// Out of line: with this wait among theirs, the assembler takes the workers' lanes for divided and
/// makes a second copy of their loops.
template <class Flags>
__device__ FINESYNC_OUT_OF_LINE bool await_group(Flags flags, unsigned group, std::uint32_t rounds,
                                                 watchdog_ref watchdog) {
  return flags.await(group, rounds, watchdog);
}

template <class Means, class Feature, unsigned Features>
__global__ void __launch_bounds__(max_threads, 1)
    play_tiles(schedule all, tiles_ref tiles, model_ref<Feature, Features> vectors,
               std::uint32_t users, std::uint32_t all_movies, typename Means::flags::ref_type flags,
               tile_sizes sizes, const cell<float>* values, unsigned kinds, watchdog_ref watchdog) {
  assume_one_dimension();
  constexpr unsigned fours = Features / 4;
  using lock = typename Means::lock;
  tile_memory<Feature, Features, lock, Means::per_group> memory(tiles, sizes);
  for (unsigned i = threadIdx.x; i < kinds; i += blockDim.x) memory.values[i] = values[i];
  for (unsigned i = threadIdx.x; i < sizes.users + sizes.movies; i += blockDim.x)
    memory.user_locks[i].held = 0u;
  if (threadIdx.x < powers_of_decay) memory.powers[threadIdx.x] = power_of_decay(threadIdx.x);
  if (threadIdx.x == 0) memory.counters[0] = 0u;

  const unsigned rounds = all.pass.rounds();
  const auto bounds_of = [&](unsigned pass, unsigned round) -> tile_bounds {
    if (round >= rounds) {
      ++pass;
      round -= rounds;
    }
    if (pass >= all.passes) return {};
    const unsigned tile = Means::tile_at(all, pass, round, blockIdx.x);
    return tiles.bounds[tile];
  };
  // Each part of the block's users in a pass, one thread per part.
  const auto each_part = [&](unsigned pass, auto use) {
    const unsigned group = pass * all.pairs_per_round() + blockIdx.x;
    for (unsigned i = threadIdx.x; i < sizes.users * fours; i += blockDim.x) {
      const std::uint32_t user = all.users.id_of(group, i / fours);
      if (user < users) use(memory.users[i], vectors.users[user][i % fours]);
    }
  };
  // The same for the staged movies.
  const auto each_staged = [&](unsigned group, auto use) {
    for (unsigned i = threadIdx.x; i < sizes.staged * fours; i += blockDim.x) {
      const std::uint32_t movie = all.movies.id_of(group, i / fours);
      if (movie < all_movies) use(memory.staged[i], vectors.movies[movie][i % fours]);
    }
  };

  tile_bounds now = bounds_of(0, 0);
  memory.entries.copy(0, now.begin, now.end);
  memory.runs.copy(0, now.begin, now.end_of_runs());
  for (unsigned pass = 0; pass < all.passes; ++pass) {
    each_part(pass, [](auto& here, const auto& home) { here = home; });
    for (unsigned round = 0; round < rounds; ++round) {
      const unsigned step = pass * rounds + round;
      const tile_bounds next = bounds_of(pass, round + 1);
      const unsigned movies = all.movie_group_at(round, blockIdx.x);
      wait_for_copies();
      bool in_vain = false;
      if (threadIdx.x == 0) {
        memory.counters[(step + 1) % 2] = 0u;
        in_vain = !await_group(flags, movies, step, watchdog);
      }
      if (__syncthreads_or(in_vain) != 0) return;
      each_staged(movies, [](auto& here, const auto& home) { copy_async(here, home); });
      wait_for_copies();
      __syncthreads();
      memory.entries.copy(step + 1, next.begin, next.end);
      memory.runs.copy(step + 1, next.begin, next.end_of_runs());

      const tile_state<Feature, Features, lock> at{memory.users,
                                                   memory.staged,
                                                   sizes.staged,
                                                   memory.user_locks,
                                                   memory.movie_locks,
                                                   memory.values,
                                                   memory.powers,
                                                   &memory.counters[step % 2],
                                                   memory.entries.entries_of(step),
                                                   memory.runs.entries_of(step),
                                                   now.numbers,
                                                   vectors.movies,
                                                   all.movies,
                                                   movies,
                                                   all.layout};
      tile_worker<Feature, Features, lock, Means::per_group> worker(at, memory.own_scratch(),
                                                                    watchdog);
      in_vain = !worker.run_all();
      if (__syncthreads_or(in_vain) != 0) return;
      each_staged(movies, [](const auto& here, auto& home) { home = here; });
      __syncthreads();
      if (threadIdx.x == blockDim.x - 1) flags.advance(movies, step + 1);
      now = next;
    }
    each_part(pass, [](const auto& here, auto& home) { home = here; });
    __syncthreads();
  }
}

/// Bits that represent this many numbers.
inline unsigned bits_for(std::uint32_t number) {
  return static_cast<unsigned>(std::bit_width(number - 1));
}

/// \tparam Means policies as in correct_means.
template <unsigned Features, class Means>
class bipartite_experiment final : public learning_experiment<Features> {
  using base = learning_experiment<Features>;
  template <class Feature>
  static constexpr auto kernel = play_tiles<Means, Feature, Features>;

 public:
  explicit bipartite_experiment(const run_config& config)
      : base(config, shape_of(config)),
        plan_(plan_of(pairs_of(config), this->data())),
        tiles_(this->data(), plan_.all, config.least_long),
        sizes_{plan_.sizes.users, plan_.sizes.movies, plan_.sizes.staged, tiles_.max_entries(),
               tiles_.max_runs()},
        flags_(all().pairs_per_round()) {
    expect_to_fit(sizes_);
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = base::effective_parameters();
    workload::add_parameter(effective, "passes", all().passes);
    workload::add_parameter(effective, "pairs_per_round", all().pairs_per_round());
    workload::add_parameter(effective, "max_ratings_per_tile", tiles_.max_entries());
    workload::add_parameter(effective, "max_runs_per_tile", tiles_.max_runs());
    workload::add_parameter(effective, "min_long_run", tiles_.lengths().least_long);
    workload::add_parameter(effective, "max_long_run", tiles_.lengths().most_of_long);
    return effective;
  }
  /// Also measures the time to sort the ratings.
  bench::counters measure() override {
    bench::counters found = base::measure();
    found["prepare_seconds"] = workload::median_seconds([] {}, [&] { tiles_.sort(); });
    return found;
  }

 protected:
  void start(const model_ref<float, Features>& vectors) override { start_with(vectors); }
  void start(const model_ref<std::uint32_t, Features>& vectors) override { start_with(vectors); }

  std::vector<std::uint64_t> order() const override { return tiles_.order(); }
  std::string name_of_order() const override {
    return std::to_string(all().pairs_per_round()) + " tables, " + std::to_string(all().passes) +
           " passes";
  }

 private:
  static std::size_t bytes(const tile_sizes& sizes) {
    return tile_memory<float, Features, typename Means::lock, Means::per_group>::bytes(sizes);
  }
  static unsigned pairs_of(const run_config& config) {
    const auto sms = static_cast<unsigned>(current_gpu().sms);
    const unsigned pairs = config.groups == 0 ? sms : config.groups;
    if (pairs < 2 || pairs > sms)
      throw bench::infeasible("2 groups at least, and at most one for each SM");
    return pairs;
  }
  static launch_shape shape_of(const run_config& config) {
    const unsigned threads = (config.threads_per_block + 31) / 32 * 32;
    return {.blocks = pairs_of(config), .threads_per_block = std::min(threads, max_threads)};
  }
  static void expect_to_fit(const tile_sizes& sizes) {
    const std::size_t shared = current_gpu().shared_bytes_per_block;
    if (bytes(sizes) > shared)
      throw bench::infeasible("tiles of " + std::to_string(sizes.entries) +
                              " ratings, in groups of " + std::to_string(sizes.users) +
                              " users and " + std::to_string(sizes.movies) + " movies, need " +
                              std::to_string(bytes(sizes)) +
                              " bytes of shared memory, and a block has " + std::to_string(shared));
  }

  /// Whether users and movies may be in this many groups.
  static bool is_possible(unsigned groups, const data_set& data) {
    return fast_divisor::is_exact(std::max(data.users(), data.movies()), groups);
  }

  struct plan {
    schedule all;
    tile_sizes sizes;  ///< estimated for entries and runs
  };
  /// The fewest passes that leave room for tiles half as large again as the average. As many movies
  /// are staged as can be in long runs; fewer if there is no room for these.
  static plan plan_of(unsigned pairs, const data_set& data) {
    constexpr unsigned most_staged = 12 * 1024 / (Features * sizeof(float));
    const group_assignment movies{fast_divisor::of(pairs)};
    tile_sizes sizes{};
    sizes.movies = movies.size(data.movies());
    for (sizes.staged = std::min(sizes.movies, most_staged);; sizes.staged /= 2) {
      sizes.users = data.users();
      for (unsigned passes = 1; is_possible(passes * pairs, data); ++passes) {
        const group_assignment users{fast_divisor::of(passes * pairs)};
        sizes.users = users.size(data.users());
        sizes.entries = data.number() / (passes * pairs * pairs) * 3 / 2 + 64;
        sizes.runs = std::min(sizes.entries / 2, sizes.movies);
        if (bytes(sizes) <= current_gpu().shared_bytes_per_block)
          return {{latin_square(pairs, pairs), passes, users, movies, {bits_for(sizes.users)}},
                  sizes};
        if (sizes.users == 1) break;
      }
      if (sizes.staged == 0) expect_to_fit(sizes);
    }
  }

  template <class Feature>
  void start_with(const model_ref<Feature, Features>& vectors) {
    flags_.reset();
    launch_shape shape = this->shape();
    shape.shared_bytes = bytes(sizes_);
    launch_cooperative(kernel<Feature>, shape, all(), tiles_.ref(), vectors, this->data().users(),
                       this->data().movies(), flags_.ref(), sizes_, this->ratings().values,
                       static_cast<unsigned>(this->data().values().size()), this->timeout());
  }

  const schedule& all() const { return plan_.all; }

  plan plan_;
  tiles tiles_;
  tile_sizes sizes_;
  typename Means::flags flags_;
};

}  // namespace finesync::sgd
