// Records kept by synchronization servers (ASPLOS'19, section 3.1): the owner of a component keeps
// the smallest key that it receives.
#pragma once

#include <finesync/device/warp.cuh>
#include <workloads/mst/minimum/minimum.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

#include <cstdint>

namespace finesync::mst {

/// Argument of a request, in addition to the component.
struct proposed_edge {
  std::uint32_t weight;
  std::uint32_t place;
};

/// The section: a record takes a smaller key.
class least_of {
 public:
  __device__ least_of(cell<std::uint64_t>* record, std::uint64_t key)
      : record_(record), key_(key) {}

  __device__ void operator()() const { (*this)(*record_); }
  __device__ void operator()(cell<std::uint64_t>& record) const {
    if (key_ < record) record = key_;
  }
  __device__ least_of merge(const lane_group& group) const {
    return {record_,
            group.fold(key_, [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; })};
  }

 private:
  cell<std::uint64_t>* record_;
  std::uint64_t key_;
};

/// The records of a level, in global memory.
struct record_service {
  using argument = proposed_edge;

  cell<std::uint64_t>* records;

  __device__ least_of operator()(std::uint32_t component, proposed_edge what) const {
    return {records + component, key_of(what.weight, what.place)};
  }
};

/// The same for servers that hold the records in shared memory meanwhile.
struct owned_record_service : record_service {
  using owned = std::uint64_t;

  __device__ cell<std::uint64_t>& home(std::uint32_t component) const { return records[component]; }
};

/// Sends a level's edges to the owners of both components, except keys not less than a sent one.
struct edge_client {
  forest_ref run;
  unsigned level;
  /// A key already sent, by component; not always the smallest. If two threads send at the same
  /// time, the greater key may remain.
  cell<std::uint64_t>* sent;

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    const cell<edge>* list = run.edges_of(level);
    const std::uint32_t edges = run.counters->phases[light].edges[level];
    for (std::uint32_t i = thread; i < edges; i += threads) {
      const edge what = list[i];
      if (!propose(out, what.from, {what.weight, i}) || !propose(out, what.to, {what.weight, i}))
        return false;
    }
    return true;
  }

 private:
  template <class Outbox>
  __device__ bool propose(Outbox& out, std::uint32_t component, proposed_edge what) const {
    const atomic_ref<std::uint64_t, scope::device> least(sent[component]);
    const std::uint64_t key = key_of(what.weight, what.place);
    if (key >= least.load(memory_order::relaxed)) return true;
    least.store(key, memory_order::relaxed);
    return out.send(component, what);
  }
};

}  // namespace finesync::mst
