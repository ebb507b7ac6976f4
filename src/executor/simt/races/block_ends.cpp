// SPDX-License-Identifier: Apache-2.0
// A block's shared memory ends with it. Accesses to it by other blocks of the cluster, and by
// asynchronous copies, must come before: a thread of the block knows of them by causality order, or
// has met their thread at the cluster's barrier, or has read the word that they changed.
#include <simt/races/race_detector.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace simt {

void race_detector::note_remote(const thread& by, const block_state& owner, const operation& op,
                                bool wrote, const void* site) {
  const auto kind = op.kind <= op_kind::plain_store ? remote_kind::plain
                    : wrote                         ? remote_kind::signals
                                                    : remote_kind::polls;
  const access_record made{.thread = by.number,
                           .time = order_.now(by.number),
                           .site = site,
                           .block = by.block->number,
                           .kind = op.kind,
                           .bytes = op.bytes,
                           .reach = op.reach};
  remote_.insert_or_assign({owner.number, by.number, kind}, remote_access{made, op.address});
  if (kind != remote_kind::signals) return;
  // What the change of a word began with is a part of it.
  const auto look = remote_.find({owner.number, by.number, remote_kind::polls});
  if (look != remote_.end() && look->second.address == op.address) remote_.erase(look);
}

void race_detector::note_seen(const block_state& owner, const void* address) {
  if (remote_.empty()) return;
  std::erase_if(remote_, [&](const auto& one) {
    const auto& [block, thread, kind] = one.first;
    return block == owner.number && kind == remote_kind::signals && one.second.address == address;
  });
}

void race_detector::note_cluster_barrier(std::span<const block_state> cluster) {
  if (remote_.empty()) return;
  std::erase_if(remote_, [&](const auto& one) {
    const auto is_owner = [&](const block_state& b) { return b.number == std::get<0>(one.first); };
    return !is_async(one.second.record) && std::any_of(cluster.begin(), cluster.end(), is_owner);
  });
}

bool race_detector::end_block(const block_state& block) {
  const auto first = remote_.lower_bound({block.number, 0, remote_kind::plain});
  const auto last = remote_.lower_bound({block.number + 1, 0, remote_kind::plain});
  bool goes_on = true;
  for (auto each = first; each != last && goes_on; ++each) {
    const auto& [record, address] = each->second;
    bool is_before = false;
    for (std::uint32_t i = 0; i < block.threads && !is_before; ++i) {
      scope needed{};
      const std::uint32_t own = block.first_thread + i;
      is_before = order_.knows(own, record.thread, record.time) ||
                  order_.awaits_acquire(own, record.thread, record.time, needed);
    }
    if (is_before || reported_.contains({record.site, nullptr})) continue;
    const std::string owner = layout_.name_of(block.number);
    after_end_ = fault{.kind = fault_kind::race,
                       .threads = {described(record), {fmt::format("the end of {}", owner)}},
                       .address = place_of(address),
                       .reason = "races with"};
    after_end_->missing =
        is_async(record)
            ? fmt::format("missing: {} in {}, before its end",
                          record.kind == op_kind::plain_load ? waits_.at(record.site)->for_reads
                                                             : waits_.at(record.site)->for_writes,
                          owner)
            : fmt::format(
                  "its shared memory ends with it; missing: a barrier of the cluster "
                  "(cluster.sync()) after the access and before that end");
    reported_.insert({record.site, nullptr});
    if (report_)
      report_();
    else
      goes_on = false;
    if (goes_on) after_end_.reset();
  }
  remote_.erase(first, last);
  return goes_on;
}

}  // namespace simt
