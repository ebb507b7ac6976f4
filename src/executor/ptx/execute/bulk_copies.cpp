// SPDX-License-Identifier: Apache-2.0
// cp.async.bulk: copies of many bytes. Each is an async thread: it reads the source, writes the
// target, and completes its bytes at the mbarrier or its group.
#include <ptx/execute/computing.hpp>
#include <ptx/execute/copies.hpp>
#include <ptx/execute/mbarriers.hpp>
#include <simt/async_threads.hpp>

namespace ptx {

namespace {

using simt::op_kind;

constexpr u32 step = 16;

struct bulk_copy {
  const instruction* at;
  std::byte* to;
  std::byte* from;
  std::byte* barrier;  ///< null: the copy is one of a group
  std::vector<simt::word> values;

  void operator()() {
    simt::operation access{.kind = op_kind::plain_load, .bytes = step, .address = from};
    for (simt::word& value : values) {
      value = simt::perform_at(at, access);
      access.address = generic_address(reinterpret_cast<u64>(access.address) + step);
    }
    simt::end_async_reads();
    access.kind = op_kind::plain_store;
    access.address = to;
    for (const simt::word& value : values) {
      access.operand = value;
      simt::perform_at(at, access);
      access.address = generic_address(reinterpret_cast<u64>(access.address) + step);
    }
    if (barrier == nullptr) return;
    change_barrier(*at, barrier, {.bytes = -static_cast<s64>(values.size() * step)},
                   simt::memory_order::release, simt::scope::cluster);
  }
};

constexpr simt::async_wait for_group{.for_reads = "cp.async.bulk.wait_group.read",
                                     .for_writes = "cp.async.bulk.wait_group"};

std::byte* end_of_copy(const thread_state& t, operand address, bool is_shared) {
  return is_shared ? shared_address(t, t.get<u32>(address)) : generic_address(t.read(address));
}

/// What a bulk copy consists of: bits of instruction::elements.
constexpr u8 to_shared = 1, from_shared = 2, to_barrier = 4, to_several = 8;

void begin_one_copy(const thread_state& t, const instruction& i, std::byte* to,
                    std::byte* barrier) {
  const u32 bytes = t.get<u32>(i.from[2]);
  if (bytes % step != 0) fail_at(i, odd_copy_size);
  if (bytes > t.launch().shared_bytes) fail_at(i, copy_too_large);
  const bool has_barrier = barrier != nullptr;
  simt::start_async_at(
      &i, {.body = bulk_copy{.at = &i,
                             .to = to,
                             .from = end_of_copy(t, i.from[1], (i.elements & from_shared) != 0),
                             .barrier = barrier,
                             .values = std::vector<simt::word>(bytes / step)},
           .wait = has_barrier ? &at_barrier : &for_group,
           .batch = has_barrier ? nullptr : name_of_group(t.bulk_groups),
           .home = barrier});
}

/// from[0] the target, from[1] the source, from[2] the bytes, from[3] an mbarrier, from[4] the
/// blocks of the cluster that get the copy.
const instruction* begin_bulk_copy(thread_state& t, const instruction& i) {
  const bool has_barrier = (i.elements & to_barrier) != 0;
  std::byte* const to = end_of_copy(t, i.from[0], (i.elements & to_shared) != 0);
  std::byte* const barrier = has_barrier ? end_of_copy(t, i.from[3], true) : nullptr;
  if ((i.elements & to_several) == 0) {
    begin_one_copy(t, i, to, barrier);
  } else {
    const auto in = [](std::byte* own, u32 rank) {
      return static_cast<std::byte*>(simt::in_block(own, rank));
    };
    for (u32 mask = t.get<u16>(i.from[4]); mask != 0; mask &= mask - 1) {
      const auto rank = static_cast<u32>(std::countr_zero(mask));
      begin_one_copy(t, i, in(to, rank), in(barrier, rank));
    }
  }
  if (!has_barrier) {
    t.last_in_group = &i;
    t.its_group = t.bulk_groups;
  }
  return &i + 1;
}

const instruction* commit_bulk_group(thread_state& t, const instruction& i) {
  ++t.bulk_groups;
  return &i + 1;
}

/// For all groups but the `from[0]` latest.
template <simt::async_part Part>
const instruction* wait_for_bulk_groups(thread_state& t, const instruction& i) {
  const u64 left = t.get<u32>(i.from[0]);
  const u64 end = t.bulk_groups - std::min(left, t.bulk_groups);
  u64& done = Part == simt::async_part::all ? t.bulk_groups_done : t.bulk_groups_read;
  for (; done < end; ++done) simt::wait_for_async(name_of_group(done), Part);
  return &i + 1;
}

}  // namespace

void check_bulk_copies_at_end(const thread_state& t) {
  const u64 waited = std::max(t.bulk_groups_read, t.bulk_groups_done);
  if (t.last_in_group != nullptr && t.its_group >= waited) {
    fail_at(*t.last_in_group, copy_not_awaited);
  }
}

void decode_bulk_copy(decoder& d) {
  using enum simt::async_part;
  if (d.take(".prefetch")) return d.take_all_beginning_with(".");
  if (d.take(".commit_group")) return d.emit({.execute = commit_bulk_group});
  if (d.take(".wait_group")) {
    return d.emit(
        {.execute = d.take(".read") ? wait_for_bulk_groups<reads> : wait_for_bulk_groups<all>,
         .from = {d.source(0, type_of<u32>())}});
  }
  const auto [to, from] = take_both_spaces(d);
  const bool completes = d.take(".mbarrier::complete_tx::bytes");
  if (!completes && !d.take(".bulk_group")) throw unsupported{};
  const bool is_multicast = d.take(".multicast::cluster");
  take_cache_hints(d);
  instruction one{.execute = begin_bulk_copy};
  one.from[0] = sum_of_address(d, 0);
  one.from[1] = sum_of_address(d, 1);
  if (completes) one.from[3] = sum_of_address(d, 3);
  if (is_multicast) one.from[4] = d.source(4, type_of<u16>());
  one.from[2] = d.source(2, type_of<u32>());
  one.elements = static_cast<u8>((to == address_space::shared ? to_shared : 0) |
                                 (from == address_space::shared ? from_shared : 0) |
                                 (completes ? to_barrier : 0) | (is_multicast ? to_several : 0));
  d.emit(one);
}

}  // namespace ptx
