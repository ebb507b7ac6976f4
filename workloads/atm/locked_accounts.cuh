// Accounts, and the lock of each: beside it, or in an array of locks.
#pragma once

#include "setup.hpp"

#include <finesync/device/buffer.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/memory_model.cuh>
#include <finesync/locks/lock_table.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::atm {

struct locked_account {
  cell<std::uint32_t> balance;
  cell<std::uint32_t> transfers;  ///< that it has had, in a recorded run
};

/// The kernels' side; trivially copyable. Gives the locks, as a lock_table_ref does.
template <class Lock>
struct locked_accounts_ref {
  unsigned char* locks;
  unsigned char* accounts;
  std::size_t stride;  ///< bytes from one to the next, of both

  __device__ Lock operator[](std::size_t index) const {
    return Lock(*reinterpret_cast<typename Lock::state*>(locks + index * stride));
  }
  __device__ locked_account& account(std::size_t index) const {
    return *reinterpret_cast<locked_account*>(accounts + index * stride);
  }
};

/// Owns them. \tparam Lock one that is free where all its bytes are zero.
template <class Lock>
class locked_accounts {
  static_assert(!queues_nodes<Lock>);

 public:
  locked_accounts(std::size_t number, spacing how)
      : stride_(stride_of(how)),
        to_accounts_(how == spacing::apart ? number * stride_ : sizeof(typename Lock::state)),
        bytes_(number * stride_ + (how == spacing::apart ? to_accounts_ : 0)) {}

  /// Frees all locks, and leaves nothing in the accounts.
  void reset() { bytes_.fill_bytes(0); }
  locked_accounts_ref<Lock> ref() const {
    return {bytes_.data(), bytes_.data() + to_accounts_, stride_};
  }

 private:
  static constexpr std::size_t stride_of(spacing how) {
    constexpr std::size_t both = sizeof(typename Lock::state) + sizeof(locked_account);
    static_assert(both <= line_bytes / 2 && sizeof(typename Lock::state) % 4 == 0);
    switch (how) {
      case spacing::packed:
        return both;
      case spacing::padded:
        return line_bytes;
      case spacing::apart:
        return line_bytes / 2;
    }
    return both;
  }

  std::size_t stride_;
  std::size_t to_accounts_;  ///< bytes from a lock to its account
  buffer<unsigned char> bytes_;
};

}  // namespace finesync::atm
