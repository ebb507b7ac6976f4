// SPDX-License-Identifier: Apache-2.0
// A section over two data on its way to the server of its lower lock: the message, its sending and
// its section.
#pragma once

#include "finesync/server/partition/modulo.cuh"
#include "finesync/server/request.cuh"
#include "finesync/server/service.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// An offload message, sent with the key of its server's lock.
template <class Argument>
struct offload {
  static constexpr std::uint32_t swapped = 0x80000000u;  ///< the other key is the section's first
  std::uint32_t other;                                   ///< the other key, and perhaps `swapped`
  [[no_unique_address]] Argument what;

  __device__ std::uint32_t other_key() const { return other & ~swapped; }
};

namespace detail {

/// The order in which locks are global: that of servers, and of the keys of one server. The lock of
/// the key that comes later is acquired first.
struct global_id_order {
  __device__ static bool comes_first(const destination& one, const destination& other) {
    return one.server != other.server ? one.server < other.server : one.local < other.local;
  }
};

/// The client's side: turns two keys into the key of the lower lock and the other one.
/// \tparam Order broken variants in the tests have another.
template <class Argument, class Outbox, class Order = global_id_order>
class nested_outbox {
 public:
  __device__ nested_outbox(Outbox& out, unsigned servers)
      : out_(out), partition_({.servers = servers}) {}

  /// Called by any threads of the block, converged or not. \returns false when the watchdog ended a
  /// wait.
  __device__ bool send(std::uint32_t first, std::uint32_t second, const Argument& what) {
    const destination one = partition_.destination_of(first);
    const destination other = partition_.destination_of(second);
    if (Order::comes_first(other, one))
      return out_.send(other, {first | offload<Argument>::swapped, what});
    return out_.send(one, {second, what});
  }

 private:
  Outbox& out_;
  modulo_partition partition_;
};

/// Runs the section of an offload, whose locks the caller holds. \param own the datum of its lower
/// lock, or the handle of an in_place_service.
template <class Service, class Own, class Other>
__device__ void run_section(Service& service, const offload<typename Service::argument>& what,
                            Own&& own, Other&& other) {
  using datum = typename Service::datum;
  const bool swapped = (what.other & offload<typename Service::argument>::swapped) != 0;
  if constexpr (in_place_service<Service>) {
    datum first = swapped ? other : own;
    datum second = swapped ? own : other;
    service(first, second, what.what);
  } else {
    datum mine = own;
    datum theirs = other;
    if (swapped)
      service(theirs, mine, what.what);
    else
      service(mine, theirs, what.what);
    own = mine;
    other = theirs;
  }
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
