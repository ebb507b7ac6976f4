// Accounts without a lock beside them: words, packed or a line apart.
#pragma once

#include <finesync/device/memory_model.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::atm {

/// The kernels' side; trivially copyable.
template <class T>
struct accounts_ref {
  cell<T>* first;
  std::uint32_t stride;  ///< words from one account to the next
  std::uint32_t number;

  __device__ cell<T>& operator[](std::uint32_t account) const {
    return first[std::size_t{account} * stride];
  }
};

template <class T>
__global__ void open_words(accounts_ref<T> accounts, T opening) {
  for (std::uint32_t a = blockIdx.x * blockDim.x + threadIdx.x; a < accounts.number;
       a += gridDim.x * blockDim.x)
    accounts[a] = opening;
}

/// An account that counts its transfers, for recorded runs.
struct account_with_turns {
  std::uint32_t balance;
  std::uint32_t transfers;
};

__device__ constexpr std::uint32_t balance_of(std::uint32_t account) {
  return account;
}
/// It is the lower half of a word of 64 bits.
__device__ constexpr std::uint32_t balance_of(std::uint64_t account) {
  return static_cast<std::uint32_t>(account);
}
__device__ constexpr std::uint32_t balance_of(const account_with_turns& account) {
  return account.balance;
}

template <class T>
__global__ void read_words(accounts_ref<T> accounts, cell<std::uint32_t>* balances) {
  for (std::uint32_t a = blockIdx.x * blockDim.x + threadIdx.x; a < accounts.number;
       a += gridDim.x * blockDim.x) {
    const T account = accounts[a];
    balances[a] = balance_of(account);
  }
}

/// Owns them.
template <class T>
class accounts {
 public:
  accounts(std::uint32_t number, bool padded)
      : number_(number),
        stride_(padded ? line_bytes / sizeof(T) : 1),
        words_(std::size_t{number} * stride_) {}

  void open(const launch_shape& shape, T opening) {
    launch_independent(open_words<T>, shape, ref(), opening);
  }
  /// Of the first `number`.
  void read(const launch_shape& shape, std::uint32_t number, cell<std::uint32_t>* balances) const {
    launch_independent(read_words<T>, shape, accounts_ref<T>{words_.device_data(), stride_, number},
                       balances);
  }
  accounts_ref<T> ref() const { return {words_.device_data(), stride_, number_}; }

 private:
  std::uint32_t number_;
  std::uint32_t stride_;
  buffer<T> words_;
};

}  // namespace finesync::atm
