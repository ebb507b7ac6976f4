// SPDX-License-Identifier: Apache-2.0
// A ring whose slots have a sequence word beside the item (Vyukov): acquire and release of that
// word order the item, whatever its type, and what it points to.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/queues/lap.cuh"
#include "finesync/queues/ring_queue.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// \tparam See, Show orders of the two accesses to the sequence, so that tests can weaken one.
template <class Type, scope Scope, memory_order See = memory_order::acquire,
          memory_order Show = memory_order::release>
class sequence_ring {
 public:
  using item_type = Type;
  using ticket = std::uint32_t;
  struct look {
    ticket now;
  };
  using space_look = look;
  using item_look = look;
  static constexpr scope reach = Scope;
  static constexpr std::size_t least_capacity = 2;
  static constexpr bool orders_memory = false;  // by fences: each item is ordered by itself

  __host__ __device__ sequence_ring(const lap_tags<ticket>& laps, cell<ticket>* sequences,
                                    cell<Type>* items)
      : laps_(laps), sequences_(sequences), items_(items) {}

  __host__ __device__ std::size_t shared_bytes() const { return 0; }
  __device__ sequence_ring join(unsigned char*) const { return *this; }

  __device__ look look_at_space(ticket at) const { return look_at(at); }
  __device__ bool is_free(const look& seen, ticket at) const { return seen.now == laps_.free(at); }
  __device__ void put(ticket at, const Type& item) const {
    items_[laps_.index(at)] = item;
    word_of(at).store(laps_.full(at), Show);
  }

  __device__ look look_at_item(ticket at) const { return look_at(at); }
  __device__ bool take(const look& seen, ticket at, Type& item) const {
    if (seen.now != laps_.full(at)) return false;
    item = items_[laps_.index(at)];
    word_of(at).store(laps_.free_next(at), Show);
    return true;
  }
  template <class Place>
  __device__ void passed(const Place&, unsigned) const {}

 private:
  using word = atomic_ref<ticket, Scope>;

  __device__ look look_at(ticket at) const { return {word_of(at).load(See)}; }
  __device__ word word_of(ticket at) const { return word(sequences_[laps_.index(at)]); }

  lap_tags<ticket> laps_;
  cell<ticket>* sequences_;
  cell<Type>* items_;
};

}  // namespace finesync::inline FINESYNC_ABI
