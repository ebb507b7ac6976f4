// SPDX-License-Identifier: Apache-2.0
// The side of a section over two data that lends a lock to another server. Protocol and contract:
// paper_lending/paper_nested_server_pool.cuh.
#pragma once

#include <finesync/device/watchdog.cuh>
#include <finesync/locks/observer.cuh>
#include <finesync/server/lending/stepping_handler.cuh>
#include <finesync/server/masked_rings.cuh>
#include <workloads/printed/server/paper_lending/protocol.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// A lane's request in work: it tries the lock until it has it, and replies. The lock is held until
/// the unlock message comes, which is not this lane's business.
template <class Protocol, class Observer>
class lender : public stepping_handler {
 public:
  using argument = lent_lock_request;
  using locks = aliased_locks<typename Protocol::lock>;
  using replies = masked_rings<no_argument>;

  __device__ lender(const locks& own, const replies& replies_to_others,
                    const watchdog_ref& watchdog, const Observer& observer)
      : stepping_handler(watchdog, awaited::lock),
        own_(own),
        replies_(replies_to_others),
        watchdog_(watchdog),
        observer_(observer) {}

  __device__ bool is_idle() const { return !wanted_; }

  /// One step of each lane; called by all lanes of the warp. \param here a request for a lock
  /// arrives, in a lane that is idle. \returns false when the watchdog ended a wait.
  __device__ bool step(bool here, std::uint32_t lock_number, const argument& back) {
    bool in_time = true;
    if (here) {
      lock_number_ = lock_number;
      back_ = back;
      wanted_ = true;
      observer_.begin(own_.key_of(lock_number));
    }
    const bool lends = wanted_ && try_take<Protocol>(own_[lock_number_], observer_);
    if (lends) {
      in_time =
          send_alone(replies_, back_.server(), replies::request::of(back_.slot(), {}), watchdog_);
      Protocol::lend(own_[lock_number_]);
      wanted_ = false;
    }
    in_time = __all_sync(0xffffffffu, in_time) != 0;
    return end_step(wanted_, here || lends) && in_time;
  }
  /// After the last call.
  __device__ void finish() { observer_.finish(); }

 private:
  const locks& own_;
  const replies& replies_;
  const watchdog_ref& watchdog_;
  [[no_unique_address]] Observer observer_;
  bool wanted_ = false;
  std::uint32_t lock_number_ = 0;
  argument back_ = {};
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
