// Storage of accounts: the encodings, and an array of accounts as words, packed or each on its own
// line.
#pragma once

#include <finesync/device/memory_model.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/atm/run_config.hpp>

#include <cstddef>
#include <cstdint>

namespace finesync::atm {

/// The kernels' side; trivially copyable.
template <class T>
struct accounts_ref {
  cell<T>* first;
  std::uint32_t stride;  ///< words from one account to the next

  __device__ cell<T>& operator[](std::uint32_t account) const {
    return first[std::size_t{account} * stride];
  }
};

/// Only the balance.
struct plain_account {
  std::uint32_t balance;
  std::uint32_t transfers = 0;  ///< unknown

  __device__ static plain_account of(std::uint32_t word) { return {word}; }
  template <class Word>
  __device__ void put(Word& word) const {
    word = balance;
  }
};

/// A word with the balance and, in the higher bits, the number of transfers of the account.
template <class Word>
struct counted_account {
  static constexpr unsigned balance_bits = sizeof(Word) == 4 ? 20 : 32;
  /// Per account: the largest count in a word of 32 bits.
  static constexpr std::uint32_t max_transfers = (1u << 12) - 1;
  static_assert(opening_balance + max_transfers * max_moved < 1u << 20);

  std::uint32_t balance;
  std::uint32_t transfers;

  __device__ static counted_account of(Word word) {
    return {static_cast<std::uint32_t>(word % (Word{1} << balance_bits)),
            static_cast<std::uint32_t>(word >> balance_bits)};
  }
  __device__ void put(Word& word) const { word = Word{transfers} << balance_bits | balance; }
};

/// An account that counts its transfers, for recorded runs. `Kept` may have other members.
struct account_with_turns {
  std::uint32_t balance;
  std::uint32_t transfers;

  __device__ static account_with_turns of(const account_with_turns& word) { return word; }
  template <class Kept>
  __device__ static account_with_turns of(const Kept& kept) requires requires {
    kept.transfers;
  }
  { return {kept.balance, kept.transfers}; }
  template <class Kept>
  __device__ void put(Kept& kept) const {
    kept.balance = balance;
    kept.transfers = transfers;
  }
};

/// \param accounts accounts[a] is the storage of account a.
template <class Accounts, class T>
__global__ void open_all(Accounts accounts, std::uint32_t number, T opening) {
  assume_one_dimension();
  for (std::uint32_t a = blockIdx.x * blockDim.x + threadIdx.x; a < number;
       a += gridDim.x * blockDim.x)
    accounts[a] = opening;
}

/// \tparam Account the encoding.
template <class Account, class Accounts>
__global__ void read_all(Accounts accounts, std::uint32_t number, cell<std::uint32_t>* balances) {
  assume_one_dimension();
  for (std::uint32_t a = blockIdx.x * blockDim.x + threadIdx.x; a < number;
       a += gridDim.x * blockDim.x)
    balances[a] = Account::of(accounts[a]).balance;
}

/// Owns the accounts. \tparam Account the encoding of an account in a T.
template <class T, class Account = plain_account>
class accounts {
 public:
  accounts(std::uint32_t number, bool padded)
      : number_(number),
        stride_(padded ? line_bytes / sizeof(T) : 1),
        words_(std::size_t{number} * stride_) {}

  void open(const launch_shape& shape, T opening) {
    launch_independent(open_all<accounts_ref<T>, T>, shape, ref(), number_, opening);
  }
  /// Reads the balances of the first `number` accounts.
  template <class As = Account>
  void read(const launch_shape& shape, std::uint32_t number, cell<std::uint32_t>* balances) const {
    launch_independent(read_all<As, accounts_ref<T>>, shape, ref(), number, balances);
  }
  accounts_ref<T> ref() const { return {words_.device_data(), stride_}; }

 private:
  std::uint32_t number_;
  std::uint32_t stride_;
  buffer<T> words_;
};

}  // namespace finesync::atm
