// Rounds of one step, with a thread for each node of the worklist. Versions differ in how they keep
// two threads from one node.
#pragma once

#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/multi_object/multi_lock.cuh>
#include <workloads/maxflow/push_relabel/flow_kernel.cuh>
#include <workloads/maxflow/push_relabel/step.cuh>

#include <cstdint>

namespace finesync::maxflow {

/// \tparam Exclusion with enlist() as for find_flow(), and
///|  bool visit(run_state&, node) const   runs a node's step and updates the worklist;
///|                                       false if the watchdog ended a wait
template <class Exclusion>
struct worklist {
  static constexpr unsigned room = queue_room;
  Exclusion exclusion;

  __device__ void enlist(std::uint32_t node, bool is_active) const {
    exclusion.enlist(node, is_active);
  }

  template <class Run>
  __device__ bool work(Run& run, std::uint32_t work, unsigned /*steps*/, bool& ran_dry) const {
    bool in_time = true;
    return work_in_rounds(run, work, 1, 0, ran_dry, [&] {
      run.queue.each_of(threadIdx.x, blockDim.x, [&](std::uint32_t node) {
        in_time = in_time && exclusion.visit(run, node);
      });
    });
  }
};

/// A lock for each node, as in the paper. A thread that pushes to a node puts it into the worklist,
/// even if it is already there. A thread that takes a node out locks it.
template <class Lock>
struct lock_per_node {
  lock_table_ref<Lock> locks;

  __device__ void enlist(std::uint32_t /*node*/, bool /*is_active*/) const {}

  template <class Run>
  __device__ bool visit(Run& run, std::uint32_t node) const {
    stepped done;
    const auto section = [&](auto&... /*word*/) { done = step_of(run.net, node); };
    if (!run_exclusive(locks[node], section, run.watchdog)) return false;
    if (done.receiver != no_node) run.queue.push(done.receiver);
    if (done.is_active) run.queue.push(node);
    return true;
  }
};

/// Both nodes of a push are locked, so no read-modify-write is needed. The arcs of a node do not
/// change while it is raised, so heights stay valid.
template <class Lock, class Way>
struct both_locked {
  lock_table_ref<Lock> locks;

  __device__ void enlist(std::uint32_t /*node*/, bool /*is_active*/) const {}

  template <class Run>
  __device__ bool visit(Run& run, std::uint32_t node) const {
    const network_ref& net = run.net;
    const neighbour seen = lowest_neighbour(net, node);  // may have changed once both are locked
    const std::uint32_t other = seen.node == no_node ? node : seen.node;
    stepped done;
    const auto section = [&] { done = step_under_locks(net, node, seen); };
    if (!run_exclusive(multi_lock<lock_table_ref<Lock>, 2, Way>(locks, {node, other}), section,
                       run.watchdog))
      return false;
    if (done.receiver != no_node && done.was_idle) run.queue.push(done.receiver);
    if (done.is_active) run.queue.push(node);
    return true;
  }

 private:
  __device__ static stepped step_under_locks(const network_ref& net, std::uint32_t node,
                                             const neighbour& to) {
    stepped done;
    const std::uint64_t seen = net.node(node);
    if (!net.is_active(node, seen)) return done;
    done.is_active = true;
    if (to.node != no_node) {
      const std::uint64_t receiver = net.node(to.node);
      const std::uint32_t amount = least(excess_of(seen), net.residual(to.slot));
      if (amount != 0 && height_of(receiver) < height_of(seen)) {
        net.push_alone_over(to.slot, amount);
        net.set(to.node, receiver + amount);
        net.set(node, seen - amount);
        done.is_active = excess_of(seen) != amount;
        if (!net.is_terminal(to.node)) done.receiver = to.node;
        done.was_idle = excess_of(receiver) == 0;
        return done;
      }
    }
    const std::uint32_t height = height_above(lowest_neighbour(net, node), net.nodes());
    if (height > height_of(seen)) {
      net.set(node, node_word(height, excess_of(seen)));
      done.is_active = height < net.nodes();
    }
    return done;
  }
};

/// A flag for each node in the worklist. The thread that takes the node out clears the flag before
/// it reads the excess. A thread that later finds the flag set has pushed in time.
struct in_queue_flag {
  cell<std::uint32_t>* flags;

  __device__ void enlist(std::uint32_t node, bool is_active) const {
    flag(node).store(is_active ? 1 : 0, memory_order::relaxed);
  }

  template <class Run>
  __device__ bool visit(Run& run, std::uint32_t node) const {
    flag(node).exchange(0, memory_order::acquire);
    const stepped done = step_of(run.net, node);
    if (done.receiver != no_node) put(run.queue, done.receiver);
    if (done.is_active) put(run.queue, node);
    return true;
  }

 private:
  __device__ atomic_ref<std::uint32_t, scope::device> flag(std::uint32_t node) const {
    return atomic_ref<std::uint32_t, scope::device>(flags[node]);
  }
  template <class Queue>
  __device__ void put(Queue& queue, std::uint32_t node) const {
    if (flag(node).exchange(1, memory_order::release) == 0) queue.push(node);
  }
};

}  // namespace finesync::maxflow
