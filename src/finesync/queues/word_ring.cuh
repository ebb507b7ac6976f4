// SPDX-License-Identifier: Apache-2.0
// What the rings whose words carry the lap have in common: how an item is put, and how it is found.
#pragma once

#include "finesync/device/memory_model.cuh"
#include "finesync/device/platform.cuh"
#include "finesync/queues/lap.cuh"

namespace finesync::inline FINESYNC_ABI {

template <class Type, class Ticket, class Words>
class word_ring {
 public:
  using item_type = Type;
  using ticket = Ticket;
  using item_look = typename Words::look;
  static constexpr scope reach = scope::device;

  word_ring(const lap_tags<ticket>& laps, const Words& words) : laps_(laps), words_(words) {}

  __device__ void put(ticket at, const Type& item) const {
    words_.store(laps_.index(at), item, laps_.full(at));
  }
  __device__ item_look look_at_item(ticket at) const { return words_.load(laps_.index(at)); }

 protected:
  /// Whether it is the item of this ticket. A caller then calls Words::keep_read().
  __device__ bool is_item(const item_look& seen, ticket at, Type& item) const {
    if (!Words::has_tag(seen, laps_.full(at))) return false;
    item = Words::item(seen);
    return true;
  }

  lap_tags<ticket> laps_;
  Words words_;
};

}  // namespace finesync::inline FINESYNC_ABI
