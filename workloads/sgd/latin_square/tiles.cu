#include "tiles.hpp"

#include <bench/experiment.hpp>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/block_scan.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>

#include <algorithm>
#include <string>
#include <vector>

namespace finesync::sgd {

namespace {

constexpr unsigned threads_per_group = 512;
constexpr unsigned blocks_per_group = 4;
constexpr unsigned max_threads_of_tile = 768;
/// Entries per thread, kept in registers while a tile is sorted.
constexpr unsigned entries_of_thread = 12;
constexpr std::uint32_t most_of_tile = max_threads_of_tile * entries_of_thread;

/// Maps a rating to its group of users.
struct user_group_requests {
  schedule all;
  const cell<std::uint64_t>* ratings;

  __device__ keyed_entry<std::uint64_t> operator()(std::uint32_t i) const {
    const std::uint64_t r = ratings[i];
    return {all.users.placement_of(unpacked(r).user).group, r};
  }
};

using word = atomic_ref<std::uint32_t, scope::block>;

/// The number of entries rounded up to whole quads.
__host__ __device__ constexpr std::uint32_t whole_quads(std::uint32_t entries) {
  return (entries + 3) / 4 * 4;
}

/// Maps a rating to a tile of its user group, and to its entry there.
struct movie_group_requests {
  schedule all;
  const cell<std::uint64_t>* ratings;

  __device__ keyed_entry<std::uint32_t> operator()(std::uint32_t i) const {
    const rating r = unpacked(ratings[i]);
    const auto movie = all.movies.placement_of(r.movie);
    return {movie.group,
            all.layout.entry(all.users.placement_of(r.user).place, movie.place, r.kind)};
  }
};

/// Finds the begin and end of the tiles of each group of users. A block processes one group at a
/// time, with one word of shared memory per tile.
__global__ void __launch_bounds__(threads_per_group)
    bound_tiles(schedule all, queues_ref<std::uint64_t> groups, tiles_ref tiles) {
  assume_one_dimension();
  constexpr unsigned in_flight = 4;
  auto& prefix = *reinterpret_cast<block_scan*>(shared_bytes());
  auto* const numbers = reinterpret_cast<cell<std::uint32_t>*>(shared_bytes() + sizeof(block_scan));
  const unsigned pairs = all.pairs_per_round();
  for (unsigned group = blockIdx.x; group < all.user_groups(); group += gridDim.x) {
    const std::uint32_t begin = groups.begin(group);
    const std::uint32_t end = groups.end(group);
    for (unsigned t = threadIdx.x; t < pairs; t += blockDim.x) numbers[t] = 0u;
    __syncthreads();
    for (std::uint32_t first = begin + threadIdx.x; first < end; first += in_flight * blockDim.x) {
      std::uint64_t ratings[in_flight];
      for (unsigned k = 0; k < in_flight; ++k) {
        const std::uint32_t i = first + k * blockDim.x;
        ratings[k] = groups.entries[i < end ? i : first];
      }
      for (unsigned k = 0; k < in_flight; ++k) {
        const unsigned t = all.movies.placement_of(unpacked(ratings[k]).movie).group;
        if (first + k * blockDim.x < end) word(numbers[t]).fetch_add(1, memory_order::relaxed);
      }
    }
    __syncthreads();
    std::uint32_t next = all.first_place(group, begin);
    for (unsigned first = 0; first < pairs; first += blockDim.x) {
      const unsigned t = first + threadIdx.x;
      std::uint32_t mine = 0;
      if (t < pairs) mine = numbers[t];
      std::uint32_t total;
      const std::uint32_t place = next + prefix.exclusive_sum(whole_quads(mine), total);
      if (t < pairs) {
        tiles.bounds[all.tile_of(group, t)] = tile_bounds{place, place + mine, {}};
        tiles.places[all.tile_of(group, t) + 1] = place;
      }
      next += total;
    }
    __syncthreads();
  }
}

/// Sorts the ratings of each user group into its tiles, by `blocks_per_group` consecutive blocks.
__global__ void __launch_bounds__(threads_per_group)
    scatter_groups(schedule all, queues_ref<std::uint64_t> groups, tiles_ref tiles) {
  assume_one_dimension();
  detail::tile<std::uint32_t> here(all.pairs_per_round());
  const unsigned group = blockIdx.x / blocks_per_group;
  const detail::queue_words next{tiles.places + all.tile_of(group, 0), 1};
  const std::uint32_t end = groups.end(group);
  const std::uint32_t slots = blockDim.x * here.requests_of_thread;
  for (std::uint32_t first = groups.begin(group) + blockIdx.x % blocks_per_group * slots;
       first < end; first += blocks_per_group * slots)
    here.scatter(movie_group_requests{all, groups.entries}, first,
                 end - first < slots ? end : first + slots, next, tiles.entries);
}

/// The shared memory in which a block sorts a tile.
struct desk {
  /// Marks a word that holds the place of the first entry instead of the number of entries.
  static constexpr std::uint32_t placed = 1u << 31;

  block_scan& prefix;
  cell<std::uint32_t>* users;    ///< number of entries per user
  cell<std::uint32_t>* movies;   ///< number of entries per movie that are in no user's run
  cell<std::uint32_t>* entries;  ///< sorted entries

  static std::size_t bytes(unsigned users, unsigned movies, unsigned entries) {
    return sizeof(block_scan) + (std::size_t{users} + movies + entries) * sizeof(std::uint32_t);
  }
  __device__ desk(unsigned number_of_users, unsigned number_of_movies)
      : prefix(*reinterpret_cast<block_scan*>(shared_bytes())),
        users(reinterpret_cast<cell<std::uint32_t>*>(shared_bytes() + sizeof(block_scan))),
        movies(users + number_of_users),
        entries(movies + number_of_movies) {}
};

/// Entries and runs in one word, to add both at once; each is less than 2^16.
__device__ constexpr std::uint32_t entries_and_runs(std::uint32_t entries, std::uint32_t runs) {
  return entries | runs << 16;
}

/// The caller's contiguous share of `number` elements.
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
/// \param before entries and runs before these; \returns those up to the end of these.
/// \param is_run(length) whether this number of entries makes a run of this kind; others keep their
/// numbers. \param most longest run.
template <class IsRun>
__device__ std::uint32_t list_runs(desk& at, cell<std::uint32_t>* numbers, unsigned number,
                                   std::uint32_t before, cell<run>* runs, std::uint32_t most,
                                   IsRun is_run) {
  const stretch own(number);
  std::uint32_t mine = 0;
  for (unsigned i = own.first; i < own.last; ++i) {
    const std::uint32_t length = numbers[i];
    if (is_run(length)) mine += entries_and_runs(length, (length + most - 1) / most);
  }
  std::uint32_t total;
  std::uint32_t next = before + at.prefix.exclusive_sum(mine, total);
  for (unsigned i = own.first; i < own.last; ++i) {
    std::uint32_t length = numbers[i];
    if (!is_run(length)) continue;
    numbers[i] = desk::placed | (next & 0xffff);
    while (length != 0) {
      const std::uint32_t piece = length < most ? length : most;
      runs[next >> 16] =
          run{i, static_cast<std::uint16_t>(next), static_cast<std::uint16_t>(piece)};
      next += entries_and_runs(piece, 1);
      length -= piece;
    }
  }
  return before + total;
}

/// Sorts each tile by its runs, and lists them. \param users, movies numbers per group; users is 0
/// if no user has a run of its own.
__global__ void __launch_bounds__(max_threads_of_tile)
    sort_each_tile(schedule all, tiles_ref tiles, unsigned users, unsigned movies,
                   run_lengths lengths) {
  assume_one_dimension();
  constexpr auto relaxed = memory_order::relaxed;
  desk at(users, movies);
  const auto is_long = [&](std::uint32_t length) {
    return length >= lengths.least_long && length < desk::placed;
  };
  const auto is_short = [&](std::uint32_t length) {
    return length != 0 && length < lengths.least_long;
  };
  for (unsigned tile = blockIdx.x; tile < all.tiles(); tile += gridDim.x) {
    const tile_bounds bounds = tiles.bounds[tile];
    const std::uint32_t size = bounds.end - bounds.begin;
    cell<std::uint32_t>* const entries = tiles.entries + bounds.begin;
    cell<run>* const runs = tiles.runs + bounds.begin;
    std::uint32_t entry[entries_of_thread];
    std::uint32_t rank[entries_of_thread];  // among the entries of the user, or of the movie
    const auto each = [&](auto use) {
      for (unsigned k = 0; k < entries_of_thread; ++k)
        if (k * blockDim.x + threadIdx.x < size) use(entry[k], rank[k]);
    };
    const auto in_users_run = [&](std::uint32_t of) {
      return users != 0 && at.users[all.layout.user_of(of)] >= desk::placed;
    };

    for (unsigned i = threadIdx.x; i < users + movies; i += blockDim.x) at.users[i] = 0u;
    for (unsigned k = 0; k < entries_of_thread; ++k) {
      const std::uint32_t i = k * blockDim.x + threadIdx.x;
      entry[k] = 0;
      if (i < size) entry[k] = entries[i];
    }
    __syncthreads();
    std::uint32_t of_users = 0;
    if (users != 0) {
      each([&](std::uint32_t one, std::uint32_t& own) {
        own = word(at.users[all.layout.user_of(one)]).fetch_add(1, relaxed);
      });
      __syncthreads();
      of_users = list_runs(at, at.users, users, 0, runs, lengths.most_of_long, is_long);
      __syncthreads();
    }
    each([&](std::uint32_t one, std::uint32_t& own) {
      if (!in_users_run(one)) own = word(at.movies[all.layout.movie_of(one)]).fetch_add(1, relaxed);
    });
    __syncthreads();
    const std::uint32_t and_longs =
        list_runs(at, at.movies, movies, of_users, runs, lengths.most_of_long, is_long);
    const std::uint32_t and_shorts =
        list_runs(at, at.movies, movies, and_longs, runs, lengths.least_long, is_short);
    if (threadIdx.x == 0) {
      const run_numbers numbers{static_cast<std::uint16_t>(of_users >> 16),
                                static_cast<std::uint16_t>((and_longs >> 16) - (of_users >> 16)),
                                static_cast<std::uint16_t>((and_shorts >> 16) - (and_longs >> 16))};
      tiles.bounds[tile] = tile_bounds{bounds.begin, bounds.end, numbers};
    }
    __syncthreads();
    each([&](std::uint32_t one, std::uint32_t own) {
      const auto& place_of_first = in_users_run(one) ? at.users[all.layout.user_of(one)]
                                                     : at.movies[all.layout.movie_of(one)];
      const std::uint32_t first = place_of_first;
      at.entries[(first & ~desk::placed) + own] = one;
    });
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) entries[i] = at.entries[i];
  }
}

run_lengths lengths_for(const data_set& data, const schedule& all, unsigned least_long) {
  // The ratings of one user or movie are spread at random over the groups of the other side.
  run_lengths lengths = run_lengths::of(std::max(data.most_of_movie() / all.user_groups(),
                                                 data.most_of_user() / all.pairs_per_round()));
  if (least_long != 0) lengths.least_long = least_long;
  return lengths;
}

}  // namespace

// Slow queries of the machine are made once.
tiles::tiles(const data_set& data, const schedule& all, unsigned least_long)
    : data_(data),
      all_(all),
      lengths_(lengths_for(data, all, least_long)),
      sms_(static_cast<unsigned>(current_gpu().sms)),
      max_threads_(static_cast<unsigned>(std::min(1024, current_gpu().max_threads_per_sm))),
      by_users_(all.user_groups(), data.number()),
      entries_(all.first_place(all.user_groups(), by_users_.places())),
      runs_(entries_.size()),
      bounds_(all.tiles()),
      places_(all.tiles() + 1) {
  const unsigned movie_bits = 32 - tile_layout::kind_bits - all.layout.user_bits;
  if (all.users.size(data.users()) > 1u << all.layout.user_bits ||
      all.movies.size(data.movies()) > 1u << movie_bits)
    throw bench::infeasible(
        "the groups have too many users and movies: a rating has 24 bits for both");
  sort_into_tiles();
  for (const tile_bounds& each : bounds_.to_host())
    max_entries_ = std::max(max_entries_, each.end - each.begin);
  if (max_entries_ > most_of_tile)
    throw bench::infeasible("a tile of " + std::to_string(max_entries_) + " ratings: at most " +
                            std::to_string(most_of_tile));
  of_tiles_ = shape_to_sort_tiles();
  sort_tiles();
  for (const tile_bounds& each : bounds_.to_host())
    max_runs_ = std::max<std::uint32_t>(max_runs_, each.numbers.all());
  entries_.keep();
  runs_.keep();
  bounds_.keep();
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
      for (unsigned pair = 0; pair < all_.pairs_per_round(); ++pair)
        add_tile(pass * all_.pairs_per_round() + pair, all_.movie_group_at(round, pair));
    }
  }
  return order;
}

void tiles::sort() {
  sort_into_tiles();
  sort_tiles();
}

void tiles::sort_into_tiles() {
  const user_group_requests by_group{all_, data_.ratings().device_data()};
  const launch_shape shape{.blocks = 2 * sms_, .threads_per_block = max_threads_};
  if (by_users_.has_room_for_tiles())
    by_users_.sort<tile_sort>(by_group, data_.number(), shape);
  else
    by_users_.sort<atomic_per_request>(by_group, data_.number(), shape);
  const unsigned threads = std::min(threads_per_group, max_threads_);
  launch_independent(
      bound_tiles,
      {.blocks = std::min(all_.user_groups(), 4 * sms_),
       .threads_per_block = threads,
       .shared_bytes = sizeof(block_scan) + all_.pairs_per_round() * sizeof(std::uint32_t)},
      all_, by_users_.ref(), ref());
  launch_independent(
      scatter_groups,
      {.blocks = all_.user_groups() * blocks_per_group,
       .threads_per_block = threads,
       .shared_bytes = detail::tile<std::uint32_t>::bytes(all_.pairs_per_round(), threads)},
      all_, by_users_.ref(), ref());
}

launch_shape tiles::shape_to_sort_tiles() const {
  const unsigned warps = (max_entries_ + 32 * entries_of_thread - 1) / (32 * entries_of_thread);
  launch_shape shape{.threads_per_block = 32 * warps,
                     .shared_bytes = desk::bytes(users_with_runs(),
                                                 all_.movies.size(data_.movies()), max_entries_)};
  shape.blocks = std::min(all_.tiles(), max_resident_blocks(sort_each_tile, shape.threads_per_block,
                                                            shape.shared_bytes));
  if (shape.blocks == 0)
    throw bench::infeasible("a tile of " + std::to_string(max_entries_) +
                            " ratings does not fit into shared memory");
  return shape;
}

unsigned tiles::users_with_runs() const {
  const bool any = data_.most_of_user() / all_.pairs_per_round() >= lengths_.least_long / 2;
  return any ? all_.users.size(data_.users()) : 0;
}

void tiles::sort_tiles() {
  launch_independent(sort_each_tile, of_tiles_, all_, ref(), users_with_runs(),
                     all_.movies.size(data_.movies()), lengths_);
}

}  // namespace finesync::sgd
