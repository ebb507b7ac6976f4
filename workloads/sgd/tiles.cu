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

/// The shared memory in which a block sorts: how many entries each movie has, then where its next
/// one goes; and the entries as they come.
std::size_t desk_bytes(unsigned movies, unsigned entries) {
  return sizeof(block_prefix) + (std::size_t{movies} + entries) * sizeof(std::uint32_t);
}

/// Sorts each tile by its movies, and lists their runs. \param movies of a group.
__global__ void __launch_bounds__(threads_per_tile)
    sort_each_tile(schedule all, tiles_ref tiles, unsigned movies, unsigned least_long) {
  using word = atomic_ref<std::uint32_t, scope::block>;
  auto& prefix = *reinterpret_cast<block_prefix*>(shared_bytes());
  auto* const places =
      reinterpret_cast<cell<std::uint32_t>*>(shared_bytes() + sizeof(block_prefix));
  cell<std::uint32_t>* const desk = places + movies;
  const unsigned per_thread = (movies + blockDim.x - 1) / blockDim.x;
  for (unsigned tile = blockIdx.x; tile < all.tiles(); tile += gridDim.x) {
    const std::uint32_t begin = tiles.entries.begin(tile);
    const std::uint32_t size = tiles.entries.end(tile) - begin;
    for (unsigned m = threadIdx.x; m < movies; m += blockDim.x) places[m] = 0u;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
      const std::uint32_t entry = tiles.entries.entries[begin + i];
      desk[i] = entry;
      word(places[all.layout.movie_of(entry)]).fetch_add(1, memory_order::relaxed);
    }
    __syncthreads();
    // Each thread has a stretch of movies.
    const unsigned first = threadIdx.x * per_thread;
    const unsigned last = first + per_thread < movies ? first + per_thread : movies;
    std::uint32_t mine = 0;
    std::uint32_t longs = 0;
    std::uint32_t shorts = 0;
    for (unsigned m = first; m < last; ++m) {
      const std::uint32_t length = places[m];
      mine += length;
      longs += length >= least_long;
      shorts += length != 0 && length < least_long;
    }
    std::uint32_t total;
    std::uint32_t all_longs;
    std::uint32_t all_shorts;
    std::uint32_t place = prefix.below(mine, total);
    std::uint32_t next_long = prefix.below(longs, all_longs);
    std::uint32_t next_short = all_longs + prefix.below(shorts, all_shorts);
    for (unsigned m = first; m < last; ++m) {
      const std::uint32_t length = places[m];
      places[m] = place;
      if (length == 0) continue;
      const std::uint32_t rank = length >= least_long ? next_long++ : next_short++;
      tiles.runs.entries[begin + rank] =
          run{m, static_cast<std::uint16_t>(place), static_cast<std::uint16_t>(length)};
      place += length;
    }
    if (threadIdx.x == 0) {
      tiles.numbers[tile] = run_numbers{static_cast<std::uint16_t>(all_longs),
                                        static_cast<std::uint16_t>(all_shorts)};
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) {
      const std::uint32_t entry = desk[i];
      const std::uint32_t to =
          word(places[all.layout.movie_of(entry)]).fetch_add(1, memory_order::relaxed);
      tiles.entries.entries[begin + to] = entry;
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
    most_runs_ = std::max<std::uint32_t>(most_runs_, each.longs + each.shorts);
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
  const unsigned movies = all_.movies.size(data_.movies());
  launch_shape shape{.blocks = 1,
                     .threads_per_block = threads_per_tile,
                     .shared_bytes = desk_bytes(movies, most_entries_)};
  shape.blocks = std::min(
      all_.tiles(), max_resident_blocks(sort_each_tile, threads_per_tile, shape.shared_bytes));
  if (shape.blocks == 0)
    throw bench::infeasible("a tile of " + std::to_string(most_entries_) +
                            " ratings does not fit into shared memory");
  launch_independent(sort_each_tile, shape, all_, ref(), movies, least_long_);
}

}  // namespace finesync::sgd
