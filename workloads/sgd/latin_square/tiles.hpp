// Ratings sorted for the Latin-square rounds: into tiles, each of a group of users and a group of
// movies. A tile is sorted into runs, each of one movie or one user.
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

/// Divides n by a fixed number `by`, at least 2. Exact while n * by is below 2^32, as the
/// reciprocal is off by less than 2^-32.
struct fast_divisor {
  std::uint32_t by;
  std::uint32_t reciprocal;

  static constexpr bool is_exact(std::uint32_t n, std::uint64_t by) { return n * by >> 32 == 0; }
  static fast_divisor of(std::uint32_t by) {
    return {by, static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + by - 1) / by)};
  }
  __device__ std::uint32_t quotient(std::uint32_t n) const { return __umulhi(n, reciprocal); }
};

/// Assigns one side to groups by popularity, in alternating direction. Groups have about the same
/// number of ratings, and the first of each is its most popular.
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

/// Numbers of ratings of one movie, or of one user, that make a run of a tile.
struct run_lengths {
  std::uint32_t least_long;    ///< minimum of a long run, which a whole warp takes
  std::uint32_t most_of_long;  ///< maximum of a long run; longer ones are split, so that several
                               ///< warps may take them

  /// \param hottest estimate of the most ratings in a tile with a common movie or user. Their chain
  /// determines the time of the tile, so it must not wait for warps. Three warps suffice: one holds
  /// the common vector and two prepare. Longer pieces have fewer steps that are not full. Short
  /// runs, one rating after the other, take several times as long, so none may be long enough to
  /// end last; a twelfth measured best.
  static constexpr run_lengths of(std::uint32_t hottest) {
    constexpr std::uint32_t step = 16;
    return {std::max(8u, hottest / 12), std::max(4u, (hottest + 3 * step - 1) / (3 * step)) * step};
  }
};

/// Consecutive ratings of a tile, all of one movie or all of one user.
struct alignas(8) run {
  std::uint32_t of;  ///< place of the movie, or of the user, in its group
  std::uint16_t begin;
  std::uint16_t length;
};

/// The runs of a tile, in this order. A user with many ratings in the tile has a run of its own.
/// All other ratings are in the runs of their movies, long ones and short ones.
struct alignas(8) run_numbers {
  std::uint16_t users;
  std::uint16_t longs;
  std::uint16_t shorts;

  __host__ __device__ constexpr unsigned all() const { return unsigned{users} + longs + shorts; }
};

/// A tile in memory: its entries, and its runs, which begin at the same index.
struct alignas(16) tile_bounds {
  std::uint32_t begin;
  std::uint32_t end;
  run_numbers numbers;

  __host__ __device__ constexpr std::uint32_t end_of_runs() const { return begin + numbers.all(); }
};

/// The order of tiles: in each pass, movie groups are paired with user groups, one pair per block.
struct schedule {
  latin_square pass;  ///< of user groups (lefts) and movie groups
  unsigned passes;
  group_assignment users;  ///< group p * pairs + t belongs to block t in pass p
  group_assignment movies;
  tile_layout layout;

  __host__ __device__ unsigned pairs_per_round() const { return pass.pairs_per_round(); }
  __host__ __device__ unsigned user_groups() const { return passes * pairs_per_round(); }
  __host__ __device__ unsigned tiles() const { return user_groups() * pairs_per_round(); }
  __host__ __device__ unsigned tile_of(unsigned user_group, unsigned movie_group) const {
    return user_group * pairs_per_round() + movie_group;
  }
  /// First place of the tiles of a group of users. After the sort by groups, its ratings begin at
  /// place `begin`. Each tile begins with a quad and so needs up to three more places.
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

/// The kernel side of sorted tiles; trivially copyable, passed by value.
struct tiles_ref {
  cell<std::uint32_t>* entries;
  cell<run>* runs;
  cell<tile_bounds>* bounds;
  cell<std::uint32_t>* places;  ///< during the sort: place of each tile's next entry
};

/// Owner of the tiles of a data set. They are sorted in three steps:
///
///|  by user groups    into long queues, which all blocks fill                     batch_queues
///|  by movie groups   each queue, into tiles: first their sizes, then likewise
///|  by runs           each tile by one block, in its shared memory
class tiles {
 public:
  /// \param least_long number of ratings of a user, or of a movie, that makes a user's run or a
  /// long run; 0: as run_lengths defines.
  /// \throws bench::infeasible if a tile has too many ratings, or a group too many members.
  tiles(const data_set& data, const schedule& all, unsigned least_long);

  /// Queues the sort, which is the only preparation that new ratings need.
  void sort();

  /// The sorted ratings, packed: round by round, and run by run.
  std::vector<std::uint64_t> order() const;

  /// Largest numbers of entries and runs in a tile.
  std::uint32_t max_entries() const { return max_entries_; }
  std::uint32_t max_runs() const { return max_runs_; }
  const run_lengths& lengths() const { return lengths_; }
  tiles_ref ref() const {
    return {entries_.device_data(), runs_.device_data(), bounds_.device_data(),
            places_.device_data()};
  }

 private:
  void sort_into_tiles();
  /// \throws bench::infeasible if a tile does not fit into shared memory.
  launch_shape shape_to_sort_tiles() const;
  /// Users per group whose ratings are counted; 0 if no user can have a run of its own.
  unsigned users_with_runs() const;
  void sort_tiles();

  const data_set& data_;
  schedule all_;
  run_lengths lengths_;
  unsigned sms_;
  unsigned max_threads_;   ///< largest block
  launch_shape of_tiles_;  ///< of the kernel that sorts tiles
  batch_queues<std::uint64_t> by_users_;
  buffer<std::uint32_t> entries_;
  buffer<run> runs_;
  buffer<tile_bounds> bounds_;
  buffer<std::uint32_t> places_;
  std::uint32_t max_entries_ = 0;
  std::uint32_t max_runs_ = 0;
};

}  // namespace finesync::sgd
