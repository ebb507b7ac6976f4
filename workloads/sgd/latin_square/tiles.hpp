// Ratings as a timetable wants them: sorted into tiles, each of a group of users and a group of
// movies, and within a tile into runs, each of a movie or of a user.
#pragma once

#include <finesync/conflict_free/latin_square.cuh>
#include <finesync/conflict_free/queues.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch_shape.cuh>
#include <workloads/sgd/data_set.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace finesync::sgd {

/// Divides numbers n by one that is at least 2, as long as n times it is below 2^32: exact, as the
/// reciprocal is off by less than 2^-32.
struct fast_divisor {
  std::uint32_t by;
  std::uint32_t reciprocal;

  static fast_divisor of(std::uint32_t by) {
    return {by, static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + by - 1) / by)};
  }
  __device__ std::uint32_t quotient(std::uint32_t n) const { return __umulhi(n, reciprocal); }
};

/// One side dealt out to groups, there and back, by popularity: so groups have about the same
/// number of ratings, and the first of each is the most popular.
struct group_assignment {
  fast_divisor groups;

  struct placement {
    std::uint32_t group;
    std::uint32_t place;  ///< in the group
  };
  __device__ placement placement_of(std::uint32_t id) const {
    const std::uint32_t place = groups.quotient(id);
    const std::uint32_t rest = id - place * groups.by;
    return {place % 2 == 0 ? rest : groups.by - 1 - rest, place};
  }
  __host__ __device__ std::uint32_t id_of(std::uint32_t group, std::uint32_t place) const {
    return place * groups.by + (place % 2 == 0 ? group : groups.by - 1 - group);
  }
  __host__ __device__ std::uint32_t size(std::uint32_t of) const {
    return (of + groups.by - 1) / groups.by;
  }
};

/// A rating within its tile, in 32 bits: the kind of its value, and the places of user and movie.
struct tile_layout {
  static constexpr unsigned kind_bits = 8;
  unsigned user_bits;

  __device__ std::uint32_t entry(std::uint32_t user, std::uint32_t movie,
                                 std::uint32_t kind) const {
    return kind | (user | movie << user_bits) << kind_bits;
  }
  __host__ __device__ static std::uint32_t kind_of(std::uint32_t entry) {
    return entry & ((1u << kind_bits) - 1);
  }
  __host__ __device__ std::uint32_t user_of(std::uint32_t entry) const {
    return entry >> kind_bits & ((1u << user_bits) - 1);
  }
  __host__ __device__ std::uint32_t movie_of(std::uint32_t entry) const {
    return entry >> (kind_bits + user_bits);
  }
};

/// How many ratings of one movie, or of one user, make a run of a tile.
struct run_lengths {
  std::uint32_t least_long;    ///< from so many on it is long: a whole warp takes it
  std::uint32_t most_of_long;  ///< longer ones are several, so that as many warps may take them

  /// \param hottest so many ratings of a tile may have a movie, or a user, in common. Their chain
  /// is the time of the tile, so that it must not wait for warps: three are enough, one that has
  /// what they have in common and two that get ready for it. Longer pieces have fewer steps that
  /// are not full. Of the short runs, that one rating after the other takes several times as long,
  /// none may be long enough to end last; a twelfth is what measured best.
  static constexpr run_lengths of(std::uint32_t hottest) {
    constexpr std::uint32_t step = 16;
    return {std::max(8u, hottest / 12), std::max(4u, (hottest + 3 * step - 1) / (3 * step)) * step};
  }
};

/// Ratings of a tile that follow each other, all of one movie or all of one user.
struct alignas(8) run {
  std::uint32_t of;  ///< place of the movie, or of the user, in its group
  std::uint16_t begin;
  std::uint16_t length;
};

/// The runs of a tile, in this order. A user with many ratings in it has a run of them; all others
/// are in the runs of their movies, long ones and short ones.
struct alignas(8) run_numbers {
  std::uint16_t users;
  std::uint16_t longs;
  std::uint16_t shorts;

  __host__ __device__ constexpr unsigned all() const { return unsigned{users} + longs + shorts; }
};

/// A tile in memory: its entries, and its runs, which begin where those do.
struct alignas(16) tile_bounds {
  std::uint32_t begin;
  std::uint32_t end;
  run_numbers numbers;

  __host__ __device__ constexpr std::uint32_t end_of_runs() const { return begin + numbers.all(); }
};

/// What is played: in each pass, all movie groups meet as many user groups, one at each table.
struct schedule {
  latin_square pass;  ///< of user groups (lefts) and movie groups
  unsigned passes;
  group_assignment
      users;  ///< to passes x tables groups; group p * tables + t is at table t in pass p
  group_assignment movies;
  tile_layout layout;

  __host__ __device__ unsigned pairs_per_round() const { return pass.pairs_per_round(); }
  __host__ __device__ unsigned user_groups() const { return passes * pairs_per_round(); }
  __host__ __device__ unsigned tiles() const { return user_groups() * pairs_per_round(); }
  __host__ __device__ unsigned tile_of(unsigned user_group, unsigned movie_group) const {
    return user_group * pairs_per_round() + movie_group;
  }
  /// Where the tiles of a group of users begin, whose ratings are from place `begin` on when they
  /// are sorted by groups: each tile begins with a quad, and so needs room for three more.
  __host__ __device__ std::uint32_t first_place(unsigned user_group, std::size_t begin) const {
    return static_cast<std::uint32_t>((begin + 3) / 4 * 4) +
           user_group * 4 * (pairs_per_round() + 1);
  }
  __host__ __device__ unsigned movie_group_at(unsigned round, unsigned pair) const {
    return pass.objects_of(round, pair).second - pairs_per_round();
  }
  __host__ __device__ unsigned tile_at(unsigned of_pass, unsigned round, unsigned pair) const {
    return tile_of(of_pass * pairs_per_round() + pair, movie_group_at(round, pair));
  }
};

/// The kernels' side of sorted tiles; trivially copyable, passed by value.
struct tiles_ref {
  cell<std::uint32_t>* entries;
  cell<run>* runs;
  cell<tile_bounds>* bounds;
  cell<std::uint32_t>* places;  ///< while they are sorted: where each tile's next entry goes
};

/// Owns the tiles of a data set. They are sorted in three steps:
///
///|  by user groups    into long queues, which all blocks fill                     batch_queues
///|  by movie groups   each of those, into tiles: first their sizes, then the same way
///|  by runs           each tile by one block, in its shared memory
class tiles {
 public:
  /// \param least_long so many ratings of a user, or of a movie, make a user's or a long run; 0: as
  /// run_lengths has it.
  /// \throws bench::infeasible where a tile has too many ratings, or a group too many members.
  tiles(const data_set& data, const schedule& all, unsigned least_long);

  /// Queues the sorting, which is all that has to be done for ratings that are new.
  void sort();

  /// The ratings as they are sorted, packed: round by round, and run by run.
  std::vector<std::uint64_t> order() const;

  /// Of any tile, its entries and its runs.
  std::uint32_t most_entries() const { return most_entries_; }
  std::uint32_t most_runs() const { return most_runs_; }
  const run_lengths& lengths() const { return lengths_; }
  tiles_ref ref() const {
    return {entries_.device_data(), runs_.device_data(), bounds_.device_data(),
            places_.device_data()};
  }

 private:
  void sort_into_tiles();
  /// \throws bench::infeasible where they do not fit into shared memory.
  launch_shape shape_to_sort_tiles() const;
  /// Of a group, to count each one's ratings; 0 where none can have a run of its own.
  unsigned users_with_runs() const;
  void sort_tiles();

  const data_set& data_;
  schedule all_;
  run_lengths lengths_;
  unsigned sms_;
  unsigned most_threads_;  ///< of a block
  launch_shape of_tiles_;  ///< of the kernel that sorts tiles
  batch_queues<std::uint64_t> by_users_;
  buffer<std::uint32_t> entries_;
  buffer<run> runs_;
  buffer<tile_bounds> bounds_;
  buffer<std::uint32_t> places_;
  std::uint32_t most_entries_ = 0;
  std::uint32_t most_runs_ = 0;
};

}  // namespace finesync::sgd
