// SPDX-License-Identifier: Apache-2.0
// The memory that buffers own: what reports call it, and whether a run may find there what is older
// than itself. Host side.
#pragma once

#include "finesync/host/owner_label.hpp"

#include <cstddef>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// Of this process.
class live_memory {
 public:
  static live_memory& of_process() {
    static live_memory all;
    return all;
  }

  void add(void* memory, std::size_t bytes, int device, const owner_label& what) {
    const std::lock_guard lock(mutex_);
    pieces_[memory] = {bytes, device, false, std::this_thread::get_id(), what};
  }
  void remove(void* memory) {
    const std::lock_guard lock(mutex_);
    pieces_.erase(memory);
  }
  void keep(void* memory) {
    const std::lock_guard lock(mutex_);
    if (const auto found = pieces_.find(memory); found != pieces_.end()) found->second.kept = true;
  }

  /// Calls use(label, offset) for the memory that has this address, if there is any.
  template <class Use>
  void with_label_at(const void* address, const Use& use) {
    const std::lock_guard lock(mutex_);
    const auto after = pieces_.upper_bound(const_cast<void*>(address));
    if (after == pieces_.begin()) return;
    const auto& [memory, of] = *std::prev(after);
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) -
                                                 static_cast<const char*>(memory));
    if (offset < of.bytes) use(of.label, offset);
  }

  /// Calls visit(memory, bytes, device) for what the calling thread has made and does not keep.
  template <class Visit>
  void each_scratch(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    for (const auto& [memory, of] : pieces_)
      if (!of.kept && of.made_by == std::this_thread::get_id()) visit(memory, of.bytes, of.device);
  }

 private:
  struct piece {
    std::size_t bytes;
    int device;
    bool kept;
    std::thread::id made_by;
    owner_label label;
  };

  std::mutex mutex_;
  std::map<void*, piece> pieces_;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
