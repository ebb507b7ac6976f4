#include "tiles.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/gpu.cuh>
#include <finesync/device/launch.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/timetable/block_prefix.cuh>

#include <algorithm>
#include <string>

namespace finesync::sgd {

namespace {

constexpr unsigned threads_per_tile = 256;
constexpr std::uint32_t most_of_tile = 0xffff;

/// Which tile a rating belongs to.
struct tile_requests {
  schedule all;
  ratings_ref ratings;

  __device__ queued<std::uint32_t> operator()(std::uint32_t i) const {
    const rating r = ratings[i];
    const auto user = all.users.seat_of(r.user);
    const auto movie = all.movies.seat_of(r.movie);
    unsigned pass = 0;
    unsigned table = user.group;
    for (; table >= all.tables(); table -= all.tables()) ++pass;
    const match at = all.pass.match_of(table, all.tables() + movie.group);
    return {pass * all.tiles_of_pass() + queue_of(all.pass, at),
            all.layout.entry(user.place, movie.place, r.kind)};
  }
};

using word = atomic_ref<std::uint32_t, scope::block>;

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
    const std::uint32_t begin = tiles.entries.begin(tile);
    const std::uint32_t size = tiles.entries.end(tile) - begin;
    cell<std::uint32_t>* const entries = tiles.entries.entries + begin;
    for (unsigned i = threadIdx.x; i < users + movies; i += blockDim.x) at.users[i] = 0u;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
      const std::uint32_t entry = entries[i];
      at.entries[i] = entry;
      word(at.users[all.layout.user_of(entry)]).fetch_add(1, memory_order::relaxed);
    }
    __syncthreads();
    cell<run>* const runs = tiles.runs.entries + begin;
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
      tiles.numbers[tile] =
          run_numbers{static_cast<std::uint16_t>(of_users >> 16),
                      static_cast<std::uint16_t>((and_longs >> 16) - (of_users >> 16)),
                      static_cast<std::uint16_t>((and_shorts >> 16) - (and_longs >> 16))};
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
      entries_(all.tiles(), data.number()),
      runs_(data.number() + batch_queues<run>::slack),
      numbers_(all.tiles()) {
  const unsigned movie_bits = 32 - tile_layout::kind_bits - all.layout.user_bits;
  if (all.users.size(data.users()) > 1u << all.layout.user_bits ||
      all.movies.size(data.movies()) > 1u << movie_bits)
    throw bench::infeasible("groups of so many users and movies: a rating has 24 bits for both");
  sort_into_tiles();
  const auto ends = entries_.ends().to_host();
  for (unsigned tile = 0; tile < all.tiles(); ++tile)
    most_entries_ = std::max(most_entries_, ends[tile + 1] - ends[tile]);
  if (most_entries_ > most_of_tile)
    throw bench::infeasible("a tile of " + std::to_string(most_entries_) + " ratings: at most " +
                            std::to_string(most_of_tile));
  sort_tiles();
  for (const run_numbers& each : numbers_.to_host())
    most_runs_ = std::max<std::uint32_t>(most_runs_, each.all());
}

std::vector<std::uint64_t> tiles::order() const {
  const auto ends = entries_.ends().to_host();
  const auto entries = entries_.entries().to_host();
  std::vector<std::uint64_t> order;
  order.reserve(data_.number());
  for (unsigned tile = 0; tile < all_.tiles(); ++tile) {
    const unsigned pass = tile / all_.tiles_of_pass();
    const unsigned round = tile % all_.tiles_of_pass() / all_.tables();
    const pairing players = all_.pass.players_at(round, tile % all_.tables());
    const unsigned users = pass * all_.tables() + players.first;
    const unsigned movies = players.second - all_.tables();
    for (std::uint32_t i = ends[tile]; i < ends[tile + 1]; ++i) {
      const std::uint32_t entry = entries[i];
      order.push_back(packed({all_.users.id_of(users, all_.layout.user_of(entry)),
                              all_.movies.id_of(movies, all_.layout.movie_of(entry)),
                              tile_layout::kind_of(entry)}));
    }
  }
  return order;
}

void tiles::sort() {
  sort_into_tiles();
  sort_tiles();
}

void tiles::sort_into_tiles() {
  const tile_requests requests{all_, data_.ref()};
  if (all_.tiles() * sizeof(std::uint32_t) <= current_gpu().shared_bytes_per_block)
    entries_.sort<once_per_block>(requests, data_.number());
  else
    entries_.sort<each_alone>(requests, data_.number());
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
