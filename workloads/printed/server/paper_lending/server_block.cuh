// SPDX-License-Identifier: Apache-2.0
// The warps of a server block for sections over two data on the paper's message path. Protocol and
// contract: paper_lending/paper_nested_server_pool.cuh.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/locks/observer.cuh>
#include <finesync/server/masked_rings.cuh>
#include <workloads/printed/server/paper/assigned_requests.cuh>
#include <workloads/printed/server/paper/handler_warp.cuh>
#include <workloads/printed/server/paper/inbox.cuh>
#include <workloads/printed/server/paper_lending/borrower.cuh>
#include <workloads/printed/server/paper_lending/lender.cuh>
#include <workloads/printed/server/paper_lending/protocol.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// Warps of a server block that have no part in sections: a leader each for offloads and requests,
/// the reply handler and the unlock handler. All others follow both leaders.
struct server_warps {
  static constexpr unsigned offload_leader = 0;
  static constexpr unsigned request_leader = 1;
  static constexpr unsigned reply_handler = 2;
  static constexpr unsigned unlock_handler = 3;
  static constexpr unsigned first_follower = 4;

  __device__ static unsigned followers() { return block_threads() / 32 - first_follower; }
};

/// Layout of a server block's shared memory.
template <class Ref>
struct paper_nested_layout {
  /// What all of a block's warps share, zero at first.
  struct common {
    assignment_table offloads;
    assignment_table requests;
    cell<std::uint32_t> without_offloads;  ///< followers that have run their last section
    cell<std::uint32_t> without_requests;  ///< followers that have lent their last lock
    cell<std::uint32_t> replies[32];
  };

  std::size_t locks;  ///< what is common is at the beginning
  std::size_t outbox;
  std::size_t end;

  explicit paper_nested_layout(const paper_nested_config& config)
      : locks(padded(sizeof(common))),
        outbox(locks + padded(Ref::locks::shared_bytes(config.offloads()))),
        end(outbox + Ref::request_outbox::shared_bytes(config.between_servers(),
                                                       config.threads_per_block)) {}

 private:
  static std::size_t padded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
};

/// A server block. All its threads construct it together.
template <class Ref, class Observer>
class paper_nested_server {
  using protocol = typename Ref::protocol;
  using service = typename Ref::service;
  using layout = paper_nested_layout<Ref>;
  using common = typename layout::common;

 public:
  __device__ paper_nested_server(const Ref& all, const layout& places, unsigned char* shared,
                                 const watchdog_ref& watchdog)
      : all_(all),
        watchdog_(watchdog),
        common_(zeroed(shared)),
        locks_(all.offloads.config(), shared + places.locks),
        replies_(common_.replies),
        requests_(all.requests, shared + places.outbox, watchdog) {}  // with a barrier

  /// All threads of the block; each kind of warp leaves after its last message, or when the
  /// watchdog ended a wait.
  __device__ void serve(service& section, Observer observer) {
    const unsigned server = block_rank();
    switch (thread_rank() / 32) {
      case server_warps::offload_leader:
        lead(all_.offloads, common_.offloads);
        break;
      case server_warps::request_leader:
        lead(all_.requests, common_.requests);
        break;
      case server_warps::reply_handler:
        handle_messages(all_.replies, server, watchdog_,
                        [&](const auto& message) { replies_.set(message.local()); });
        break;
      case server_warps::unlock_handler:
        handle_messages(all_.unlocks, server, watchdog_, [&](const auto& message) {
          observer.begin(locks_.key_of(message.local()));
          observer.leaving();
          protocol::take_back(locks_[message.local()]);
        });
        observer.finish();
        break;
      default:
        follow(section, observer);
    }
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;

  // A barrier must follow.
  __device__ static common& zeroed(unsigned char* shared) {
    auto* const words = reinterpret_cast<cell<std::uint32_t>*>(shared);
    for (unsigned i = thread_rank(); i < sizeof(common) / sizeof *words; i += block_threads())
      words[i] = 0;
    return *reinterpret_cast<common*>(shared);
  }

  template <class Argument>
  __device__ void lead(const masked_rings<Argument>& from, assignment_table& table) {
    assignment_leader<Argument, scope::device>(from, block_rank(), table, server_warps::followers())
        .lead(watchdog_);
  }

  // Lanes have a section and a request each, and make a step of one and of the other in turn. So a
  // request waits neither for sections nor for space in a ring.
  __device__ void follow(service& section, const Observer& observer) {
    const unsigned number = thread_rank() / 32 - server_warps::first_follower;
    assigned_requests offloads(all_.offloads, block_rank(), common_.offloads, number);
    assigned_requests requests(all_.requests, block_rank(), common_.requests, number);
    borrower<protocol, service, Observer> borrows(locks_, requests_, replies_, all_.unlocks,
                                                  section, watchdog_, observer);
    lender<protocol, Observer> lends(locks_, all_.replies, watchdog_, observer);
    bounded_wait idle(watchdog_, awaited::requests);
    bool has_offloads = true;
    bool has_requests = true;
    while (has_offloads || has_requests) {
      if (has_requests) {
        if (!step(requests, lends)) return;
        if (requests.dismissed() && !lends.pending()) {
          has_requests = false;
          if (is_last(common_.without_requests)) count_as_done(all_.replies, lane_id(), 32);
        }
      }
      if (has_offloads) {
        if (!step(offloads, borrows)) return;
        if (borrows.pending()) requests_.copy_next();
        if (offloads.dismissed() && !borrows.pending()) {
          has_offloads = false;
          if (is_last(common_.without_offloads)) {
            count_as_done(all_.requests, lane_id(), 32);
            count_as_done(all_.unlocks, lane_id(), 32);
          }
        }
      }
      if (lends.pending() || borrows.pending())
        idle.restart();
      else if (__any_sync(all_lanes, idle.timed_out()))
        return;
    }
    lends.finish();
    borrows.finish();
  }

  // Reads what is assigned for idle lanes, and makes a step of each.
  template <class Assigned, class Side>
  __device__ bool step(Assigned& assigned, Side& side) {
    bool here = false;
    const auto message = assigned.read(side.is_idle(), here);
    return side.step(here, message.local(), message.argument());
  }

  // Whether the warp is the last follower to count itself. Then all messages of the others were
  // sent before.
  __device__ bool is_last(cell<std::uint32_t>& count) const {
    unsigned before = 0;
    __syncwarp();
    if (lane_id() == 0)
      before = atomic_ref<std::uint32_t, scope::block>(count).fetch_add(1, memory_order::acq_rel);
    before = __shfl_sync(all_lanes, before, 0);
    __syncwarp();
    return before + 1 == server_warps::followers();
  }

  const Ref& all_;
  const watchdog_ref& watchdog_;
  common& common_;
  typename Ref::locks locks_;
  reply_bits replies_;
  typename Ref::request_outbox requests_;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
