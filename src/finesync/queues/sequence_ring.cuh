// A ring whose slots have a sequence word beside the item (Vyukov): acquire and release of that word
// order the item, whatever its type, and what it points to.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/queues/lap.cuh"
#include "finesync/queues/ticket_queue.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// \tparam See, Show orders of the two accesses to the sequence, so that tests can weaken one.
template <class T, scope Scope, memory_order See = memory_order::acquire,
          memory_order Show = memory_order::release>
class sequence_ring {
 public:
  using item_type = T;
  using sequence = typename queue_ends<Scope>::ticket;
  struct look {
    sequence now;
  };
  using space_look = look;
  using item_look = look;
  static constexpr scope reach = Scope;
  static constexpr std::size_t least_capacity = 2;
  static constexpr bool orders_memory = false;  // by fences: each item is ordered by itself

  __host__ __device__ sequence_ring(const lap_tags<sequence>& laps, cell<sequence>* sequences,
                                    cell<T>* items)
      : laps_(laps), sequences_(sequences), items_(items) {}

  __host__ __device__ std::size_t shared_bytes() const { return 0; }
  __device__ sequence_ring join(unsigned char*) const { return *this; }

  __device__ look look_at_space(sequence ticket) const { return look_at(ticket); }
  __device__ bool is_free(const look& seen, sequence ticket) const {
    return seen.now == laps_.free(ticket);
  }
  __device__ void put(sequence ticket, const T& item) const {
    items_[laps_.index(ticket)] = item;
    at(ticket).store(laps_.full(ticket), Show);
  }

  __device__ look look_at_item(sequence ticket) const { return look_at(ticket); }
  __device__ bool take(const look& seen, sequence ticket, T& item) const {
    if (seen.now != laps_.full(ticket)) return false;
    item = items_[laps_.index(ticket)];
    at(ticket).store(laps_.free_next(ticket), Show);
    return true;
  }
  template <class Place>
  __device__ void passed(const Place&, unsigned) const {}

 private:
  using word = atomic_ref<sequence, Scope>;

  __device__ look look_at(sequence ticket) const { return {at(ticket).load(See)}; }
  __device__ word at(sequence ticket) const { return word(sequences_[laps_.index(ticket)]); }

  lap_tags<sequence> laps_;
  cell<sequence>* sequences_;
  cell<T>* items_;
};

}  // namespace finesync::inline FINESYNC_ABI
