// SPDX-License-Identifier: Apache-2.0
// Barriers and the collectives of a warp.
#include <ptx/execute/computing.hpp>

#include <bit>

namespace ptx {

namespace {

u32 existing_lanes(u32 mask) {
  return mask & simt::current->warp->existing;
}

u32 ballot(const instruction& i, u32 mask, bool vote) {
  return static_cast<u32>(
      simt::warp_collective_at(&i, simt::collective::ballot, mask, {vote, 0}).low);
}

// --- shuffles: from[0] the value, from[1] the distance or lane, from[2] limits, from[3] the mask

enum class direction : u8 { up, down, across, to_lane };

template <direction How>
const instruction* shuffle(thread_state& t, const instruction& i) {
  const u32 lane = simt::current->lane, by = t.get<u32>(i.from[1]) & 31;
  const u32 limits = t.get<u32>(i.from[2]);
  const u32 segment = limits >> 8 & 31;
  const u32 first = lane & segment;
  const auto last = static_cast<s32>(first | (limits & 31 & ~segment));
  s32 from = 0;
  if (How == direction::up) from = static_cast<s32>(lane) - static_cast<s32>(by);
  if (How == direction::down) from = static_cast<s32>(lane + by);
  if (How == direction::across) from = static_cast<s32>(lane ^ by);
  if (How == direction::to_lane) from = static_cast<s32>(first | (by & ~segment));
  const bool is_within = How == direction::up ? from >= last : from <= last;
  const u32 source = is_within ? static_cast<u32>(from) : lane;
  const u32 mask = t.get<u32>(i.from[3]);
  const simt::word result = simt::warp_collective_at(&i, simt::collective::shuffle, mask,
                                                     {t.get<u32>(i.from[0]), 0}, source);
  t.put<u32>(i.to, static_cast<u32>(result.low));
  t.put<bool>(i.also_to, is_within);
  return &i + 1;
}

void decode_shuffle(decoder& d) {
  if (!d.take(".sync")) throw unsupported{};
  const auto how = d.take_one_of({".up", ".down", ".bfly", ".idx"});
  const type of = d.require_type();
  instruction one{.execute = how == ".up"     ? shuffle<direction::up>
                             : how == ".down" ? shuffle<direction::down>
                             : how == ".bfly" ? shuffle<direction::across>
                                              : shuffle<direction::to_lane>};
  if (how.empty()) throw unsupported{};
  for (std::size_t at = 0; at < 4; ++at) one.from[at] = d.source(at + 1, of);
  d.destinations(0, one);
  d.emit(one);
}

// --- votes: from[0] what is brought, from[1] the mask

const instruction* vote_ballot(thread_state& t, const instruction& i) {
  t.put<u32>(i.to, ballot(i, t.get<u32>(i.from[1]), t.get<bool>(i.from[0])));
  return &i + 1;
}
template <bool WantsAll, bool WantsNone>
const instruction* vote(thread_state& t, const instruction& i) {
  const u32 mask = t.get<u32>(i.from[1]);
  const u32 found = ballot(i, mask, t.get<bool>(i.from[0]));
  const bool all = found == existing_lanes(mask), none = found == 0;
  t.put<bool>(i.to, WantsAll && WantsNone ? all || none : WantsAll ? all : !none);
  return &i + 1;
}

void decode_vote(decoder& d) {
  if (!d.take(".sync")) throw unsupported{};
  const auto how = d.take_one_of({".all", ".any", ".uni", ".ballot"});
  if (how.empty()) throw unsupported{};
  d.require_type();
  decode_computation(d,
                     how == ".all"   ? vote<true, false>
                     : how == ".any" ? vote<false, false>
                     : how == ".uni" ? vote<true, true>
                                     : vote_ballot,
                     {type_of<bool>(), type_of<u32>()});
}

template <bool WantsAll>
const instruction* match(thread_state& t, const instruction& i) {
  const u32 mask = t.get<u32>(i.from[1]);
  const u64 value = i.bytes == 8 ? t.read(i.from[0]) : t.get<u32>(i.from[0]);
  const u32 equal =
      static_cast<u32>(simt::warp_collective_at(&i, simt::collective::match, mask, {value, 0}).low);
  const bool all = equal == existing_lanes(mask);
  t.put<u32>(i.to, WantsAll && !all ? 0 : equal);
  if (WantsAll) t.put<bool>(i.also_to, all);
  return &i + 1;
}

void decode_match(decoder& d) {
  if (!d.take(".sync")) throw unsupported{};
  const bool all = d.take_one_of({".any", ".all"}) == ".all";
  const type of = d.require_type();
  instruction one{.execute = all ? match<true> : match<false>, .bytes = of.bytes};
  one.from = {d.source(1, of), d.source(2, type_of<u32>())};
  d.destinations(0, one);
  d.emit(one);
}

/// Each lane reads all others: one shuffle per lane.
template <class T, class Fold>
const instruction* reduce(thread_state& t, const instruction& i) {
  const u32 lanes = ballot(i, t.get<u32>(i.from[1]), true);
  T all{};
  for (u32 left = lanes; left != 0; left &= left - 1) {
    const auto from = static_cast<u32>(std::countr_zero(left));
    const auto value = static_cast<T>(simt::warp_collective_at(&i, simt::collective::shuffle, lanes,
                                                               {t.get<u32>(i.from[0]), 0}, from)
                                          .low);
    all = left == lanes ? value : Fold::of(all, value);
  }
  t.put<T>(i.to, all);
  return &i + 1;
}

template <class How>
struct folded {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(How()(a, b));
  }
};
struct least {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct greatest {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};

void decode_reduce(decoder& d) {
  if (!d.take(".sync")) throw unsupported{};
  const auto how = d.take_one_of({".add", ".min", ".max", ".and", ".or", ".xor"});
  const type of = d.require_type();
  const handler execute = choose<u32, s32>(of, [&]<class T>() -> handler {
    if (how == ".add") return reduce<T, folded<std::plus<u32>>>;
    if (how == ".min") return reduce<T, folded<least>>;
    if (how == ".max") return reduce<T, folded<greatest>>;
    if (how == ".and") return reduce<T, folded<std::bit_and<u32>>>;
    if (how == ".or") return reduce<T, folded<std::bit_or<u32>>>;
    if (how == ".xor") return reduce<T, folded<std::bit_xor<u32>>>;
    return nullptr;
  });
  decode_computation(d, execute, {of, type_of<u32>()});
}

const instruction* elect(thread_state& t, const instruction& i) {
  const auto leader = static_cast<u32>(std::countr_zero(ballot(i, t.get<u32>(i.from[0]), true)));
  t.put<u32>(i.to, leader);
  t.put<bool>(i.also_to, leader == simt::current->lane);
  return &i + 1;
}
void decode_elect(decoder& d) {
  if (!d.take(".sync")) throw unsupported{};
  instruction one{.execute = elect, .from = {d.source(1, type_of<u32>())}};
  d.destinations(0, one);
  d.emit(one);
}

const instruction* active_mask(thread_state& t, const instruction& i) {
  t.put<u32>(i.to, simt::converged_lanes_at(&i));
  return &i + 1;
}
void decode_active_mask(decoder& d) {
  d.require_type();
  decode_computation(d, active_mask, {});
}

// --- barriers: from[0] the number, from[1] the threads, from[2] a vote

const instruction* warp_barrier(thread_state& t, const instruction& i) {
  simt::warp_collective_at(&i, simt::collective::sync, t.get<u32>(i.from[0]));
  return &i + 1;
}
const instruction* block_barrier(thread_state&, const instruction& i) {
  simt::block_barrier_at(&i);
  return &i + 1;
}
u32 whole_warps() {
  const u32 warps = (simt::current->block->threads + simt::warp_size - 1) / simt::warp_size;
  return warps * simt::warp_size;
}
const instruction* named_barrier(thread_state& t, const instruction& i) {
  const u32 number = t.get<u32>(i.from[0]);
  const u32 threads = i.number != 0 ? t.get<u32>(i.from[1]) : whole_warps();
  if (number == 0 && i.number == 0) return block_barrier(t, i);
  simt::named_barrier_at(&i, number, threads, true);
  return &i + 1;
}
const instruction* arrive(thread_state& t, const instruction& i) {
  simt::named_barrier_at(&i, t.get<u32>(i.from[0]), t.get<u32>(i.from[1]), false);
  return &i + 1;
}

enum class counted : u8 { number, any, all };
template <counted What>
const instruction* counting_barrier(thread_state& t, const instruction& i) {
  const u32 found = simt::block_barrier_at(&i, t.get<bool>(i.from[0]));
  if (What == counted::number)
    t.put<u32>(i.to, found);
  else
    t.put<bool>(i.to, What == counted::any ? found != 0 : found == simt::current->block->threads);
  return &i + 1;
}

void decode_counting_barrier(decoder& d) {
  const auto how = d.take_one_of({".popc", ".or", ".and"});
  d.require_type();
  // Only barrier 0 of the whole block.
  if (how.empty() || d.operands() != 3 || d.syntax(1).text != "0") throw unsupported{};
  d.emit({.execute = how == ".popc" ? counting_barrier<counted::number>
                     : how == ".or" ? counting_barrier<counted::any>
                                    : counting_barrier<counted::all>,
          .to = d.destination(0),
          .from = {d.source(2, type_of<bool>())}});
}

/// The executor has arrival and wait of the cluster's barrier in one: the wait does both.
const instruction* arrive_at_cluster(thread_state& t, const instruction& i) {
  t.cluster_arrival = i.order;
  return &i + 1;
}
const instruction* wait_for_cluster(thread_state& t, const instruction& i) {
  simt::cluster_barrier_at(&i, t.cluster_arrival);
  return &i + 1;
}

void decode_barrier(decoder& d) {
  d.take(".aligned");
  d.take(".cta");
  if (d.take(".cluster")) {
    const bool is_relaxed = d.take_one_of({".relaxed", ".release", ".acquire"}) == ".relaxed";
    const bool arrives = d.take(".arrive");
    if (!arrives && !d.take(".wait")) throw unsupported{};
    return d.emit(
        {.execute = arrives ? arrive_at_cluster : wait_for_cluster,
         .order = is_relaxed ? simt::memory_order::relaxed : simt::memory_order::acq_rel});
  }
  const type number = type_of<u32>();
  if (d.take(".warp")) {
    if (!d.take(".sync")) throw unsupported{};
    return d.emit({.execute = warp_barrier, .from = {d.source(0, number)}});
  }
  if (d.take(".red")) return decode_counting_barrier(d);
  const bool arrives = d.take(".arrive");
  if (!arrives && !d.take(".sync")) throw unsupported{};
  instruction one{.execute = arrives ? arrive : named_barrier};
  one.from[0] = d.source(0, number);
  one.number = d.operands() > 1;
  if (one.number != 0) one.from[1] = d.source(1, number);
  if (arrives && one.number == 0) d.refuse("expected the number of threads");
  d.emit(one);
}

}  // namespace

std::span<const opcode_row> collective_rows() {
  static constexpr opcode_row rows[] = {
      {"shfl", decode_shuffle}, {"vote", decode_vote},       {"match", decode_match},
      {"redux", decode_reduce}, {"elect", decode_elect},     {"activemask", decode_active_mask},
      {"bar", decode_barrier},  {"barrier", decode_barrier},
  };
  return rows;
}

}  // namespace ptx
