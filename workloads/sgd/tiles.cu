#include "tiles.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/gpu.cuh>
#include <finesync/device/launch.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/timetable/block_prefix.cuh>

#include <algorithm>
#include <string>
#include <vector>

namespace finesync::sgd {

namespace {

constexpr unsigned threads_per_tile = 256;
constexpr std::uint32_t most_of_tile = 0xffff;

/// Which group of users a rating belongs to.
struct user_group_requests {
  schedule all;
  const cell<std::uint64_t>* ratings;

  __device__ queued<std::uint64_t> operator()(std::uint32_t i) const {
    const std::uint64_t r = ratings[i];
    return {all.users.seat_of(unpacked(r).user).group, r};
  }
};

using word = atomic_ref<std::uint32_t, scope::block>;

constexpr unsigned threads_per_group = 1024;

/// So many entries, of which the last quad is whole.
__host__ __device__ constexpr std::uint32_t whole_quads(std::uint32_t entries) {
  return (entries + 3) / 4 * 4;
}

/// Sorts the ratings of each group of users into its tiles.
__global__ void __launch_bounds__(threads_per_group)
    sort_each_group(schedule all, queues_ref<std::uint64_t> groups, tiles_ref tiles) {
  constexpr unsigned in_flight = 4;
  auto& prefix = *reinterpret_cast<block_prefix*>(shared_bytes());
  auto* const places =
      reinterpret_cast<cell<std::uint32_t>*>(shared_bytes() + sizeof(block_prefix));
  const unsigned tables = all.tables();  // at most as many as there are threads
  for (unsigned group = blockIdx.x; group < all.user_groups(); group += gridDim.x) {
    const std::uint32_t begin = groups.begin(group);
    const std::uint32_t end = groups.end(group);
    const auto each = [&](auto use) {
      for (std::uint32_t first = begin + threadIdx.x; first < end;
           first += in_flight * blockDim.x) {
        std::uint64_t ratings[in_flight];
        for (unsigned k = 0; k < in_flight; ++k) {
          const std::uint32_t i = first + k * blockDim.x;
          ratings[k] = groups.entries[i < end ? i : first];
        }
        for (unsigned k = 0; k < in_flight; ++k)
          if (first + k * blockDim.x < end) use(unpacked(ratings[k]));
      }
    };
    for (unsigned t = threadIdx.x; t < tables; t += blockDim.x) places[t] = 0u;
    __syncthreads();
    each([&](const rating& r) {
      word(places[all.movies.seat_of(r.movie).group]).fetch_add(1, memory_order::relaxed);
    });
    __syncthreads();
    std::uint32_t mine = 0;
    if (threadIdx.x < tables) mine = places[threadIdx.x];
    std::uint32_t total;
    const std::uint32_t place =
        all.first_place(group, begin) + prefix.below(whole_quads(mine), total);
    if (threadIdx.x < tables) {
      places[threadIdx.x] = place;
      tiles.bounds[all.tile_of(group, threadIdx.x)] = tile_bounds{place, place + mine, {}};
    }
    __syncthreads();
    each([&](const rating& r) {
      const auto movie = all.movies.seat_of(r.movie);
      const std::uint32_t to = word(places[movie.group]).fetch_add(1, memory_order::relaxed);
      tiles.entries[to] = all.layout.entry(all.users.seat_of(r.user).place, movie.place, r.kind);
    });
    __syncthreads();
  }
}

/// The shared memory in which a block sorts a tile.
struct desk {
  /// Marks a word that is no number of entries any more, but where the next goes.
  static constexpr std::uint32_t placed = 1u << 31;

  block_prefix& prefix;
  cell<std::uint32_t>* users;    ///< how many entries each has
  cell<std::uint32_t>* movies;   ///< the same, of those that are in no user's run
  cell<std::uint32_t>* entries;  ///< as they come

  static std::size_t bytes(unsigned users, unsigned movies, unsigned entries) {
    return sizeof(block_prefix) + (std::size_t{users} + movies + entries) * sizeof(std::uint32_t);
  }
  __device__ desk(unsigned number_of_users, unsigned number_of_movies)
      : prefix(*reinterpret_cast<block_prefix*>(shared_bytes())),
        users(reinterpret_cast<cell<std::uint32_t>*>(shared_bytes() + sizeof(block_prefix))),
        movies(users + number_of_users),
        entries(movies + number_of_movies) {}
};

/// Entries and runs, as one number to add up: there are less than 2^16 of either.
__device__ constexpr std::uint32_t entries_and_runs(std::uint32_t entries, bool is_run) {
  return entries | std::uint32_t{is_run} << 16;
}

/// Those of `number` that a thread has, each thread a stretch of them.
struct stretch {
  unsigned first;
  unsigned last;

  __device__ explicit stretch(unsigned number) {
    const unsigned each = (number + blockDim.x - 1) / blockDim.x;
    first = threadIdx.x * each < number ? threadIdx.x * each : number;
    last = first + each < number ? first + each : number;
  }
};

/// Turns the numbers of entries of users or movies into places, and lists their runs.
/// \param before entries and runs before theirs; \returns those behind. \param is_run(length)
/// whether so many are a run of this kind; others keep their numbers.
template <class IsRun>
__device__ std::uint32_t list_runs(desk& at, cell<std::uint32_t>* numbers, unsigned number,
                                   std::uint32_t before, cell<run>* runs, IsRun is_run) {
  const stretch own(number);
  std::uint32_t mine = 0;
  for (unsigned i = own.first; i < own.last; ++i) {
    const std::uint32_t length = numbers[i];
    if (is_run(length)) mine += entries_and_runs(length, true);
  }
  std::uint32_t total;
  std::uint32_t next = before + at.prefix.below(mine, total);
  for (unsigned i = own.first; i < own.last; ++i) {
    const std::uint32_t length = numbers[i];
    if (!is_run(length)) continue;
    const auto place = static_cast<std::uint16_t>(next);
    runs[next >> 16] = run{i, place, static_cast<std::uint16_t>(length)};
    numbers[i] = desk::placed | place;
    next += entries_and_runs(length, true);
  }
  return before + total;
}

/// Sorts each tile by its runs, and lists them. \param users, movies of a group.
__global__ void __launch_bounds__(threads_per_tile)
    sort_each_tile(schedule all, tiles_ref tiles, unsigned users, unsigned movies,
                   unsigned least_long) {
  desk at(users, movies);
  for (unsigned tile = blockIdx.x; tile < all.tiles(); tile += gridDim.x) {
    const tile_bounds bounds = tiles.bounds[tile];
    const std::uint32_t size = bounds.end - bounds.begin;
    cell<std::uint32_t>* const entries = tiles.entries + bounds.begin;
    for (unsigned i = threadIdx.x; i < users + movies; i += blockDim.x) at.users[i] = 0u;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
      const std::uint32_t entry = entries[i];
      at.entries[i] = entry;
      word(at.users[all.layout.user_of(entry)]).fetch_add(1, memory_order::relaxed);
    }
    __syncthreads();
    cell<run>* const runs = tiles.runs + bounds.begin;
    const auto is_long = [&](std::uint32_t length) {
      return length >= least_long && length < desk::placed;
    };
    const auto is_short = [&](std::uint32_t length) { return length != 0 && length < least_long; };
    const std::uint32_t of_users = list_runs(at, at.users, users, 0, runs, is_long);
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
      const std::uint32_t entry = at.entries[i];
      if (at.users[all.layout.user_of(entry)] < desk::placed)
        word(at.movies[all.layout.movie_of(entry)]).fetch_add(1, memory_order::relaxed);
    }
    __syncthreads();
    const std::uint32_t and_longs = list_runs(at, at.movies, movies, of_users, runs, is_long);
    const std::uint32_t and_shorts = list_runs(at, at.movies, movies, and_longs, runs, is_short);
    if (threadIdx.x == 0) {
      const run_numbers numbers{static_cast<std::uint16_t>(of_users >> 16),
                                static_cast<std::uint16_t>((and_longs >> 16) - (of_users >> 16)),
                                static_cast<std::uint16_t>((and_shorts >> 16) - (and_longs >> 16))};
      tiles.bounds[tile] = tile_bounds{bounds.begin, bounds.end, numbers};
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
      const std::uint32_t entry = at.entries[i];
      const word of_user(at.users[all.layout.user_of(entry)]);
      const bool in_users_run = of_user.load(memory_order::relaxed) >= desk::placed;
      const word next = in_users_run ? of_user : word(at.movies[all.layout.movie_of(entry)]);
      entries[next.fetch_add(1, memory_order::relaxed) & ~desk::placed] = entry;
    }
    __syncthreads();
  }
}

}  // namespace

tiles::tiles(const data_set& data, const schedule& all, unsigned least_long)
    : data_(data),
      all_(all),
      least_long_(least_long),
      by_users_(all.user_groups(), data.number()),
      entries_(all.first_place(all.user_groups(), by_users_.places())),
      runs_(entries_.size()),
      bounds_(all.tiles()) {
  const unsigned movie_bits = 32 - tile_layout::kind_bits - all.layout.user_bits;
  if (all.users.size(data.users()) > 1u << all.layout.user_bits ||
      all.movies.size(data.movies()) > 1u << movie_bits)
    throw bench::infeasible("groups of so many users and movies: a rating has 24 bits for both");
  sort_into_tiles();
  for (const tile_bounds& each : bounds_.to_host())
    most_entries_ = std::max(most_entries_, each.end - each.begin);
  if (most_entries_ > most_of_tile)
    throw bench::infeasible("a tile of " + std::to_string(most_entries_) + " ratings: at most " +
                            std::to_string(most_of_tile));
  sort_tiles();
  for (const tile_bounds& each : bounds_.to_host())
    most_runs_ = std::max<std::uint32_t>(most_runs_, each.numbers.all());
}

std::vector<std::uint64_t> tiles::order() const {
  const auto bounds = bounds_.to_host();
  const auto entries = entries_.to_host();
  std::vector<std::uint64_t> order;
  order.reserve(data_.number());
  const auto add_tile = [&](unsigned users, unsigned movies) {
    const tile_bounds& tile = bounds[all_.tile_of(users, movies)];
    for (std::uint32_t i = tile.begin; i < tile.end; ++i) {
      const std::uint32_t entry = entries[i];
      order.push_back(packed({all_.users.id_of(users, all_.layout.user_of(entry)),
                              all_.movies.id_of(movies, all_.layout.movie_of(entry)),
                              tile_layout::kind_of(entry)}));
    }
  };
  for (unsigned pass = 0; pass < all_.passes; ++pass) {
    for (unsigned round = 0; round < all_.pass.rounds(); ++round) {
      for (unsigned table = 0; table < all_.tables(); ++table)
        add_tile(pass * all_.tables() + table, all_.movie_group_at(round, table));
    }
  }
  return order;
}

void tiles::sort() {
  sort_into_tiles();
  sort_tiles();
}

void tiles::sort_into_tiles() {
  const auto sms = static_cast<unsigned>(current_gpu().sms);
  const auto threads =
      static_cast<unsigned>(std::min<int>(threads_per_group, current_gpu().max_threads_per_sm));
  by_users_.sort<once_per_tile>(user_group_requests{all_, data_.ratings().cells()}, data_.number(),
                                {.blocks = 2 * sms, .threads_per_block = threads});
  launch_independent(sort_each_group,
                     {.blocks = std::min(all_.user_groups(), 2 * sms),
                      .threads_per_block = threads,
                      .shared_bytes = sizeof(block_prefix) + all_.tables() * sizeof(std::uint32_t)},
                     all_, by_users_.ref(), ref());
}

void tiles::sort_tiles() {
  const unsigned users = all_.users.size(data_.users());
  const unsigned movies = all_.movies.size(data_.movies());
  launch_shape shape{.threads_per_block = threads_per_tile,
                     .shared_bytes = desk::bytes(users, movies, most_entries_)};
  shape.blocks = std::min(
      all_.tiles(), max_resident_blocks(sort_each_tile, threads_per_tile, shape.shared_bytes));
  if (shape.blocks == 0)
    throw bench::infeasible("a tile of " + std::to_string(most_entries_) +
                            " ratings does not fit into shared memory");
  launch_independent(sort_each_tile, shape, all_, ref(), users, movies, least_long_);
}

}  // namespace finesync::sgd
