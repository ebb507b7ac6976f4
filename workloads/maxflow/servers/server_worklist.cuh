// Every block is client and server (ASPLOS'19, section 4.1). A block owns each node, and a node
// with excess is in one message to its owner. Messages are the worklist; there are no rounds.
//
//|  block of u                           ring of v's block               block of v
//|  discharge(u) ── pushes to v, finds no excess there ──> [ v ] ──────> discharge(v)
//|       └── has some left ──> [ u ] in its own ring
//
// Termination: a word counts the messages in progress. It becomes zero when no message is left, and
//   the thread that makes it zero notifies all servers. To end the work earlier, a second word is
//   set and servers drop further messages; the next relabelling finds those nodes.
// Progress: a server never waits for space. Its ring holds several times the nodes that it owns,
//   and each node is in at most one message. The work ends when half of a ring has been used.
#pragma once

#include "node_messages.cuh"

#include <finesync/server/fast/channel.cuh>
#include <finesync/server/partition/modulo.cuh>
#include <finesync/server/server_config.cuh>
#include <workloads/maxflow/push_relabel/discharge.cuh>
#include <workloads/maxflow/push_relabel/flow_kernel.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

/// A message is a node. The server must see all earlier writes to the node.
struct nothing {};
using flow_channel = ordered_fast_channel<nothing>;

/// The handler that an inbox calls with nodes.
class node_handler {
  using word = atomic_ref<std::uint32_t, scope::device>;
  using outbox = flow_channel::direct_outbox;
  static constexpr unsigned all_lanes = 0xffffffffu;

 public:
  __device__ node_handler(const network_ref& net, outbox& out, const server_config& config,
                          const message_state& state, std::uint32_t work,
                          const watchdog_ref& watchdog)
      : net_(net),
        out_(out),
        watchdog_(watchdog),
        partition_(config),
        messages_(*state.messages),
        stopped_(*state.stopped),
        work_(work),
        max_sent_(config.ring / 2) {}

  __device__ bool pending() const { return false; }

  /// Called by whole warps, see channel.cuh: teams process their lanes' nodes one after the other.
  __device__ bool operator()(bool& here, std::uint32_t local, const nothing& /*none*/) {
    const team lanes;
    const bool stopped = __shfl_sync(all_lanes, stopped_.load(memory_order::relaxed), 0) != 0;
    if (work_ != 0 && --work_ == 0) stop();
    for (unsigned left = lanes.ballot(here); left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
      const std::uint32_t node = partition_.key_of(blockIdx.x, lanes.of(lane, local));
      const auto take = [&](std::uint32_t next, const row& /*arcs*/) {
        messages_.fetch_add(1, memory_order::relaxed);
        send(next);
      };
      const bool goes_on =
          !stopped && discharge<correct_ownership>(
                          net_, lanes, hold(net_, lanes, node, net_.row_of(node)), take);
      lanes.sync();  // all messages are counted and sent before this one is complete
      if (!lanes.is_leader()) continue;
      if (goes_on)
        send(node);
      else if (messages_.fetch_add(~0u, memory_order::acq_rel) == 1)
        out_.announce_end(0, 1);
    }
    return __all_sync(all_lanes, in_time_) != 0;
  }

  /// Sends the node to its server, which sees all earlier writes to it.
  __device__ void send(std::uint32_t node) {
    const auto request = out_.place(partition_.destination_of(node), nothing{});
    if (request.position >= max_sent_) stop();
    bounded_wait wait(watchdog_, awaited::ring, request.server);
    while (in_time_ && !out_.try_put(request)) in_time_ = !wait.timed_out();
  }
  __device__ bool in_time() const { return in_time_; }

 private:
  __device__ void stop() { stopped_.store(1, memory_order::relaxed); }

  const network_ref& net_;
  outbox& out_;
  const watchdog_ref& watchdog_;
  modulo_partition partition_;
  word messages_;
  word stopped_;
  std::uint32_t work_;      ///< calls with nodes that are left to the warp
  std::uint32_t max_sent_;  ///< messages to a ring before the work is to end
  bool in_time_ = true;
};

/// The kernel side of the version; trivially copyable, passed by value.
struct server_worklist {
  static constexpr unsigned room = queue_room;

  flow_channel channel;
  cell<std::uint64_t>* rings;  ///< memory of the rings
  std::size_t ring_words;
  unsigned inbox_bytes;  ///< bytes of the inbox in shared memory, between queue and outbox
  message_state state;

  __device__ void enlist(std::uint32_t /*node*/, bool /*is_active*/) const {}

  template <class Run>
  __device__ bool work(Run& run, std::uint32_t work, unsigned /*steps*/, bool& ran_dry) const {
    if (!exchange_messages(run, state, rings, ring_words, ran_dry,
                           [&] { return serve(run, work); }))
      return false;
    ++run.rounds;
    return true;
  }

 private:
  template <class Run>
  __device__ bool serve(Run& run, std::uint32_t work) const {
    unsigned char* const shared = run.shared_behind_queue();
    flow_channel::direct_outbox out(channel, shared + inbox_bytes, run.watchdog);
    flow_channel::inbox in(channel, blockIdx.x, shared, run.watchdog);
    node_handler handler(run.net, out, channel.config(), state, work, run.watchdog);
    run.queue.each_of(threadIdx.x, blockDim.x, [&](std::uint32_t node) { handler.send(node); });
    return in.receive(handler) && handler.in_time();
  }
};

}  // namespace finesync::maxflow
