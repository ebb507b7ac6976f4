// ASPLOS'19's servers for maximum flow (section 4.1): every block is a server of its nodes and a
// client of all others. Messages go over the path of sections 3.2.2 to 3.2.4. They replace the
// worklist and the locks in global memory; there are no rounds.
//
//|  block of u: leader warp   follower warps                               block of v
//|  ring ── assigns ────────> [u]: lock in shared memory, a step, unlock
//|                              ├── pushed to v, which was idle ── [v] ──> local buffer ──> ring
//|                              └── has some left ──────────────── [u] ──> own local buffer, ring
//
// Where the paper is silent:
// - What a message is: a node that its server is to update. The push itself is He and Hong's atomic
//   addition. A push to a node that had excess sends nothing, as a message for it is on its way: a
//   node is in at most one message, or all rings would fill up with copies of the same nodes.
// - Space: a ring has at least twice as many slots as its server has nodes, as blocks that all wait
//   for space in each other's rings would wait for ever. So it has always space, and only a local
//   buffer may be full: a lane that waits for an entry keeps its request, and its warp goes on
//   receiving with the other lanes.
// - The end: a word counts the messages on their way, those in local buffers and those in work. Who
//   makes it zero tells all leaders.
// - Global relabelling: as for all versions (launched_experiment.cuh says why), after `work` steps
//   of some warp. Then a second word is set, and servers drop what still arrives: the relabelling
//   finds those nodes, which begin in the queues of all blocks. It is the only time that a grid
//   barrier is needed.
//
// Ordering: a node's updates follow each other by its lock, of block scope, as one block has all.
//   What a message's sender did before happens before its update.
// Progress: a message in a ring needs an idle lane, and a lane becomes idle as its entries in local
//   buffers become free. The oldest entry of a buffer always is, and any warp copies it.
#pragma once

#include <finesync/device/shared_storage.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/server/partition/modulo.cuh>
#include <finesync/server/server_config.cuh>
#include <workloads/common/arithmetic.cuh>
#include <workloads/maxflow/push_relabel/flow_kernel.cuh>
#include <workloads/maxflow/push_relabel/step.cuh>
#include <workloads/maxflow/servers/node_messages.cuh>
#include <workloads/printed/server/paper/assigned_requests.cuh>
#include <workloads/printed/server/paper/channel.cuh>
#include <workloads/printed/server/paper/stepping_outbox.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

/// What travels with a node: nothing.
struct update_request {};
using update_rings = paper_channel<update_request>;
using update_outbox = paper_stepping_outbox<update_request, scope::device>;

/// What a server block has in shared memory, in this order: the assignments, its locks, the outbox.
struct server_memory {
  static constexpr std::size_t locks = sizeof(detail::assignment_table) / 16 * 16 + 16;

  __host__ __device__ static std::size_t outbox(const server_config& config) {
    return locks + config.locks * sizeof(tas_lock<scope::block>::state);
  }
  static std::size_t bytes(const server_config& config, unsigned threads_per_block) {
    return outbox(config) + update_outbox::shared_bytes(config, threads_per_block);
  }
};

/// The rules of the messages; tests have broken variants.
struct correct_messages {
  using lock = tas_lock<scope::block>;
  /// Whether the receiver of a push is sent a message.
  __device__ static bool wakes(const stepped& done) {
    return done.receiver != no_node && done.was_idle;
  }
};

/// A lane of a follower: a node that it is to update, then the messages that this causes.
template <class Rules, class Observer>
class node_updater {
  using lock = typename Rules::lock;
  using word = atomic_ref<std::uint32_t, scope::device>;
  static constexpr unsigned all_lanes = 0xffffffffu;

 public:
  /// \param work steps of the warp until the work is to end.
  __device__ node_updater(const network_ref& net, const update_rings& rings, update_outbox& out,
                          typename lock::state* locks, const message_state& state,
                          std::uint32_t section_work, std::uint32_t work, const Observer& observer)
      : net_(net),
        rings_(rings),
        out_(out),
        partition_(rings.config()),
        locks_(locks),
        messages_(*state.messages),
        stopped_(*state.stopped),
        section_work_(section_work),
        work_(work),
        observer_(observer) {}

  /// Whether the lane can take a node.
  __device__ bool is_idle() const { return !has_node_ && unsent_ == 0; }

  /// Sends a node to its server; for a lane that is idle. The message is counted.
  __device__ void send(std::uint32_t node) {
    const unsigned place = unsent_ & 1;
    requests_[place] = out_.place(partition_.destination_of(node), update_request{});
    unsent_ |= 1u << place;
  }

  /// A step of each lane of the warp. \param here whether the lane, which was idle, is to update
  /// this node of its server. \returns whether any lane got on.
  __device__ bool step(bool here, std::uint32_t local) {
    if (here) {
      has_node_ = true;
      node_ = partition_.key_of(blockIdx.x, local);
      lock_ = local & (rings_.config().locks - 1);
      observer_.begin(node_);
    }
    const bool gets_on = update() || here;
    const unsigned unsent = unsent_;
    // Both, each time: another lane may wait for the older one to leave its local buffer.
    for (unsigned i = 0; i < 2; ++i)
      if ((unsent >> i & 1) != 0 && out_.try_put(requests_[i])) unsent_ &= ~(1u << i);
    return __any_sync(all_lanes, gets_on || unsent_ != unsent) != 0;
  }
  /// After the last step.
  __device__ void finish() { observer_.finish(); }

 private:
  /// Updates the lane's node if its lock is free. \returns whether any lane did.
  __device__ bool update() {
    const bool stopped = __shfl_sync(all_lanes, stopped_.load(memory_order::relaxed), 0) != 0;
    bool updated = false;
    stepped done;
    if (has_node_) {
      lock own(locks_[lock_]);
      typename lock::acquisition acquisition = own.enqueue();
      if (own.try_enter(acquisition)) {
        observer_.entered();
        if (!stopped) {
          done = step_of(net_, node_);
          workload::spend_arithmetic(section_work_);
        }
        observer_.leaving();
        own.leave(acquisition);
        has_node_ = false;
        updated = true;
      } else {
        observer_.retry();
      }
    }
    const bool wakes = Rules::wakes(done);
    count(updated, wakes, done.is_active);
    if (wakes) send(done.receiver);
    if (done.is_active) send(node_);
    const bool any = __any_sync(all_lanes, updated) != 0;
    if (any && work_ != 0 && --work_ == 0) stopped_.store(1, memory_order::relaxed);
    return any;
  }

  /// Counts the messages of the lanes before any is sent, and those that are done: of an update
  /// that causes one message, that one takes its place.
  __device__ void count(bool updated, bool first, bool second) {
    const unsigned more = __ballot_sync(all_lanes, updated && first && second);
    const unsigned fewer = __ballot_sync(all_lanes, updated && !first && !second);
    const auto change = static_cast<std::uint32_t>(__popc(more) - __popc(fewer));
    if (change != 0 && lane_id() == 0) {
      if (messages_.fetch_add(change, memory_order::acq_rel) + change == 0)
        count_as_done(rings_, 0, 1);
    }
    __syncwarp();
  }

  const network_ref& net_;
  const update_rings& rings_;
  update_outbox& out_;
  modulo_partition partition_;
  typename lock::state* locks_;
  word messages_;
  word stopped_;
  std::uint32_t section_work_;
  std::uint32_t work_;
  Observer observer_;
  bool has_node_ = false;
  std::uint32_t node_ = 0;
  std::uint32_t lock_ = 0;
  unsigned unsent_ = 0;  ///< a bit for each of the requests that is not in a local buffer yet
  update_outbox::placed requests_[2] = {};
};

/// The kernel side of the version; trivially copyable, passed by value.
template <class Rules, class Observer>
struct node_servers {
  static constexpr unsigned room = queue_room;

  update_rings rings;
  cell<std::uint32_t>* memory;  ///< of the rings
  std::size_t memory_words;
  message_state state;
  std::uint32_t section_work;
  Observer observer;

  __device__ void enlist(std::uint32_t /*node*/, bool /*is_active*/) const {}

  /// Not counted as a round.
  template <class Run>
  __device__ bool work(Run& run, std::uint32_t work, unsigned /*steps*/, bool& ran_dry) const {
    return exchange_messages(run, state, memory, memory_words, ran_dry,
                             [&] { return serve(run, work); });
  }

 private:
  template <class Run>
  __device__ bool serve(Run& run, std::uint32_t work) const {
    unsigned char* const shared = run.shared_behind_queue();
    unsigned char* const outbox = shared + server_memory::outbox(rings.config());
    auto* const words = reinterpret_cast<cell<std::uint32_t>*>(shared);
    for (std::size_t i = threadIdx.x; i < (outbox - shared) / sizeof *words; i += blockDim.x)
      words[i] = 0;
    update_outbox out(rings, outbox, run.watchdog);  // with a barrier
    auto& assignments = *reinterpret_cast<detail::assignment_table*>(shared);
    if (threadIdx.x < 32) {
      return detail::assignment_leader<update_request, scope::device>(
                 rings, blockIdx.x, assignments, blockDim.x / 32 - 1)
          .lead(run.watchdog);
    }
    node_updater<Rules, Observer> lanes(
        run.net, rings, out,
        reinterpret_cast<typename Rules::lock::state*>(shared + server_memory::locks), state,
        section_work, work, observer);
    const bool in_time = follow(run, assignments, out, lanes);
    lanes.finish();
    return in_time;
  }

  /// A lane without a message sends a node that the relabelling has left to the block.
  template <class Run>
  __device__ bool follow(Run& run, detail::assignment_table& assignments, update_outbox& out,
                         node_updater<Rules, Observer>& lanes) const {
    constexpr unsigned all_lanes = 0xffffffffu;
    detail::assigned_requests<update_request, scope::device> assigned(
        rings, blockIdx.x, assignments, threadIdx.x / 32 - 1);
    constexpr unsigned beyond_all = 1u << 31;  // as a stride: the next node, and no other
    std::uint32_t next = threadIdx.x - 32;
    bounded_wait wait(run.watchdog, awaited::requests);
    while (__any_sync(all_lanes, !assigned.dismissed() || !lanes.is_idle())) {
      bool here = false;
      const auto request = assigned.read(lanes.is_idle(), here);
      if (!here && lanes.is_idle()) {
        run.queue.each_of(next, beyond_all, [&](std::uint32_t node) {
          lanes.send(node);
          next += blockDim.x - 32;
        });
      }
      if (lanes.step(here, request.local()))
        wait.restart();
      else if (__any_sync(all_lanes, wait.timed_out()))
        return false;
      out.copy_next();
    }
    return true;
  }
};

}  // namespace finesync::maxflow
