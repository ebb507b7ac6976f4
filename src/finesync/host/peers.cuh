// SPDX-License-Identifier: Apache-2.0
// GPUs of one host that reach each other's memory, with a stream of each, for launch_together()
// (launch.cuh). One process uses them all, or one process each (gpu_processes.hpp). Host side.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/gpu_processes.hpp"
#include "finesync/host/stream.cuh"

#ifndef FINESYNC_HOST_EXECUTOR
#include "finesync/host/cuda/peers.cuh"
#endif

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
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
///
/// GPUs are numbered in all processes alike. What takes or returns a value per GPU of this process
/// begins with that of GPU first(). With several processes, all of them make their peers and what
/// uses these in the same order; reset(), a report and the like are then calls of all processes.
class peers {
 public:
  static constexpr unsigned most = 8;

  /// The first `count` devices.
  explicit peers(unsigned count) : peers(first(count)) {}

  /// These devices. One that is named twice gets two streams, for two grids side by side: what runs
  /// on two GPUs can so be tried with one.
  /// \throws launch_error if a device is not there, or two cannot reach each other's memory.
  explicit peers(std::span<const int> devices) {
    expect_possible(devices.size());
#ifndef FINESYNC_HOST_EXECUTOR
    detail::connect(devices);
#endif
    for (const int device : devices) {
      const device_guard here(device);
      streams_.push_back(owned_.emplace_back());
    }
  }

  /// The current device of each process, numbered by rank.
  /// \throws std::invalid_argument if they are too many.
  explicit peers(std::shared_ptr<const gpu_processes> processes)
      : processes_(std::move(processes)) {
    expect_possible(size());
    streams_.push_back(owned_.emplace_back());
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

  /// In all processes.
  unsigned size() const {
    return processes_ ? processes_->group().size() : static_cast<unsigned>(streams_.size());
  }
  /// The first GPU of this process.
  unsigned first() const {
    return processes_ ? processes_->group().rank() : 0;
  }
  /// The GPUs of this process.
  std::vector<unsigned> own() const {
    std::vector<unsigned> gpus(streams_.size());
    std::iota(gpus.begin(), gpus.end(), first());
    return gpus;
  }
  /// Grids on the device of a peer of this process, its own included.
  unsigned grids_beside(unsigned peer) const {
    return static_cast<unsigned>(std::count_if(
        streams_.begin(), streams_.end(),
        [&](const stream& other) { return other.device() == stream_of(peer).device(); }));
  }
  /// One for each GPU of this process.
  std::span<const stream> streams() const {
    return streams_;
  }
  const stream& stream_of(unsigned peer) const {
    return streams_[peer - first()];
  }
  /// None if one process has all GPUs.
  const std::shared_ptr<const gpu_processes>& processes() const {
    return processes_;
  }

  /// Waits for the work queued in all streams, of all processes.
  void synchronize() const {
    for (const stream& each : streams_) each.synchronize();
    if (processes_) meet(processes_->group());
  }

  /// The values of all GPUs. \param own those of this process's.
  template <class Type>
  std::vector<Type> gather(std::vector<Type> own) const {
    if (!processes_) return own;
    return finesync::gather(processes_->group(), std::span<const Type>(own));
  }
  /// The lists of all GPUs, of any length. \param own those of this process's.
  template <class Type>
  std::vector<std::vector<Type>> gather_lists(std::vector<std::vector<Type>> own) const {
    if (!processes_) return own;
    return finesync::gather_lists(processes_->group(), own.front());
  }

 private:
  explicit peers(const std::vector<int>& devices) : peers(std::span<const int>(devices)) {}

  static void expect_possible(std::size_t grids) {
    if (grids == 0 || grids > most)
      throw std::invalid_argument("peers are 1 to " + std::to_string(most) + " grids");
  }

  static std::vector<int> first(unsigned count) {
    std::vector<int> devices(count);
    std::iota(devices.begin(), devices.end(), 0);
    return devices;
  }

  std::shared_ptr<const gpu_processes> processes_;
  std::vector<owned_stream> owned_;
  std::vector<stream> streams_;
};

}  // namespace finesync::inline FINESYNC_ABI
