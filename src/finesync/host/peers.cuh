// GPUs of one host that reach each other's memory, used by one process: a stream of each, for
// launch_together() (launch.cuh). Host side.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/stream.cuh"

#ifndef FINESYNC_HOST_EXECUTOR
#include "finesync/host/cuda/peers.cuh"
#endif

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

#ifdef FINESYNC_HOST_EXECUTOR
namespace detail {
/// The executor has as many devices as are named.
inline unsigned devices_there() {
  return ~0u;
}
}  // namespace detail
#endif

/// Movable, not copyable. A stream here waits for no other, nor does a default stream wait for it.
class peers {
 public:
  static constexpr unsigned most = 8;

  /// The first `count` devices.
  explicit peers(unsigned count) : peers(first(count)) {}

  /// These devices. One that is named twice gets two streams, for two grids side by side: what runs
  /// on two GPUs can so be tried with one.
  /// \throws launch_error if a device is not there, or two cannot reach each other's memory.
  explicit peers(std::span<const int> devices) {
    if (devices.empty() || devices.size() > most)
      throw std::invalid_argument("peers are 1 to " + std::to_string(most) + " grids");
#ifndef FINESYNC_HOST_EXECUTOR
    detail::connect(devices);
#endif
    for (const int device : devices) {
      const device_guard here(device);
      streams_.push_back(owned_.emplace_back());
    }
  }

  /// A number of grids on the devices of this machine, from the current one on, one each. Where
  /// there are fewer devices, they take turns: with one device, two grids run on it.
  static peers in_turns(unsigned count) {
    std::vector<int> devices;
    const unsigned there = detail::devices_there();
    for (unsigned i = 0; i < count; ++i)
      devices.push_back(static_cast<int>((static_cast<unsigned>(current_device()) + i) % there));
    return peers(std::span<const int>(devices));
  }

  unsigned size() const {
    return static_cast<unsigned>(streams_.size());
  }
  /// Grids on the device of this peer, its own included.
  unsigned grids_beside(unsigned peer) const {
    return static_cast<unsigned>(std::count_if(
        streams_.begin(), streams_.end(),
        [&](const stream& other) { return other.device() == streams_[peer].device(); }));
  }
  std::span<const stream> streams() const {
    return streams_;
  }
  const stream& stream_of(unsigned peer) const {
    return streams_[peer];
  }

  /// Waits for the work queued in all streams.
  void synchronize() const {
    for (const stream& each : streams_) each.synchronize();
  }

 private:
  explicit peers(const std::vector<int>& devices) : peers(std::span<const int>(devices)) {}

  static std::vector<int> first(unsigned count) {
    std::vector<int> devices(count);
    std::iota(devices.begin(), devices.end(), 0);
    return devices;
  }

  std::vector<owned_stream> owned_;
  std::vector<stream> streams_;
};

}  // namespace finesync::inline FINESYNC_ABI
