// The entry that a node belongs to, and the critical section that inserts the node.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/host/launch_shape.cuh>
#include <inputs/random.cuh>
#include <workloads/common/arithmetic.cuh>
#include <workloads/ht/table.hpp>

#include <algorithm>
#include <cstdint>

namespace finesync::ht {

using workload::spend_arithmetic;

/// A grid for `items` items; its threads stride over them.
inline launch_shape shape_over(std::uint32_t items) {
  constexpr unsigned threads = 256;
  constexpr unsigned max_blocks = 4096;
  return {.blocks = std::min(max_blocks, (items + threads - 1) / threads),
          .threads_per_block = threads};
}

/// The table entry of insert `i`: a random key of the pool, hashed.
__host__ __device__ constexpr std::uint32_t entry_of(const problem& what, std::uint32_t i) {
  constexpr std::uint32_t seed = 2019;
  const std::uint32_t element =
      inputs::bounded(inputs::random32(seed, 0, i), what.collision_factor);
  return inputs::bounded(inputs::random32(seed, 1, element), what.table_size);
}

/// The critical section: pushes the chain first -> ... -> last onto an entry's list.
class push {
 public:
  __device__ push(const table_ref& table, std::uint32_t entry, std::uint32_t node,
                  std::uint32_t section_work)
      : push(table, entry, node, node, section_work) {}

  __device__ void operator()() const { (*this)(table_.head[entry_]); }

  /// The same with the head of the list kept elsewhere for now: in a cell, or in a variable of the
  /// caller.
  template <class Head>
  __device__ void operator()(Head& head) const {
    table_.next[last_] = head;
    head = first_;
    spend_arithmetic(section_work_);
  }

  /// Links the nodes of lanes that push onto the same entry, so that one section pushes them all.
  __device__ push merge(const lane_group& group) const {
    const std::uint32_t after = group.get(first_, group.next());
    if (!group.is_last()) table_.next[last_] = after;
    return {table_, entry_, group.get(first_, group.leader()), group.get(last_, group.last()),
            section_work_};
  }

 private:
  __device__ push(const table_ref& table, std::uint32_t entry, std::uint32_t first,
                  std::uint32_t last, std::uint32_t section_work)
      : table_(table), entry_(entry), first_(first), last_(last), section_work_(section_work) {}

  table_ref table_;
  std::uint32_t entry_;
  std::uint32_t first_;
  std::uint32_t last_;
  std::uint32_t section_work_;
};

/// Makes the critical section of each insert. Every thread has a copy of the service.
struct push_service {
  using argument = std::uint32_t;  // the node

  table_ref table;
  std::uint32_t section_work;

  __device__ push operator()(std::uint32_t entry, std::uint32_t node) const {
    return {table, entry, node, section_work};
  }
  __device__ void finish() const {}
};

/// The same for servers that keep the heads of their lists in shared memory.
struct owned_push_service : push_service {
  using owned = std::uint32_t;

  __device__ cell<std::uint32_t>& home(std::uint32_t entry) const { return table.head[entry]; }
};

/// A section without memory accesses: only arithmetic, and a count in a register.
class empty_section {
 public:
  __device__ empty_section(std::uint32_t* ran, std::uint32_t inserts, std::uint32_t section_work)
      : ran_(ran), inserts_(inserts), section_work_(section_work) {}

  __device__ void operator()() const {
    *ran_ += inserts_;
    spend_arithmetic(section_work_);
  }
  /// Under a value-passing lock.
  __device__ void operator()(std::uint32_t& /*word*/) const { (*this)(); }
  /// The leader runs one section for the group; the other lanes only count theirs.
  __device__ empty_section merge(const lane_group& group) const {
    if (!group.is_leader()) *ran_ += inserts_;
    return *this;
  }

 private:
  std::uint32_t* ran_;
  std::uint32_t inserts_;
  std::uint32_t section_work_;
};

/// The benchmark without its critical sections: only messages and locks.
struct empty_service {
  using argument = std::uint32_t;

  cell<std::uint64_t>* sections;  ///< number of sections that ran, all threads together
  std::uint32_t section_work;
  std::uint32_t ran = 0;

  __device__ empty_section operator()(std::uint32_t /*entry*/, std::uint32_t /*node*/) {
    return {&ran, 1, section_work};
  }
  __device__ void finish() const {
    if (ran > 0)
      atomic_ref<std::uint64_t, scope::device>(*sections).fetch_add(ran, memory_order::relaxed);
  }
};

}  // namespace finesync::ht
