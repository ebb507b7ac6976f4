// Accounts of several GPUs that are words, packed or each on its own line.
#pragma once

#include <finesync/device/memory_model.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/symmetric_memory.cuh>
#include <finesync/several_gpus/symmetric_view.cuh>
#include <workloads/atm/accounts.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::atm {

/// The kernels' side; trivially copyable.
template <class T>
struct gpus_accounts_ref {
  symmetric_view gpus;
  std::uint32_t stride;  ///< words from one account of a GPU to its next

  __device__ cell<T>& operator[](std::uint32_t account) const {
    return gpus.dealt<cell<T>>(account, std::size_t{stride} * sizeof(T));
  }
};

/// Owns the accounts; does not outlive the peers. \tparam Account the encoding of an account in a
/// T.
template <class T, class Account>
class gpus_accounts {
 public:
  gpus_accounts(const peers& all, std::uint32_t number, bool padded)
      : all_(&all),
        number_(number),
        stride_(padded ? line_bytes / sizeof(T) : 1),
        memory_(all, std::size_t{dealt_to(0, all.size(), number)} * stride_ * sizeof(T) /
                         sizeof(std::uint32_t)) {}

  gpus_accounts_ref<T> ref(unsigned me) const { return {memory_.view(me), stride_}; }

  /// Those of this process's GPUs.
  void open(const launch_shape& shape, T opening) {
    for (const unsigned gpu : all_->own())
      launch_independent(all_->stream_of(gpu), open_all<accounts_ref<T>, T>, shape, of_gpu(gpu),
                         number_of(gpu), opening);
  }
  /// Reads the balances of a GPU's accounts.
  void read(unsigned gpu, const launch_shape& shape, cell<std::uint32_t>* balances) const {
    launch_independent(all_->stream_of(gpu), read_all<Account, accounts_ref<T>>, shape, of_gpu(gpu),
                       number_of(gpu), balances);
  }

 private:
  std::uint32_t number_of(unsigned gpu) const { return dealt_to(gpu, all_->size(), number_); }
  accounts_ref<T> of_gpu(unsigned gpu) const {
    return {reinterpret_cast<cell<T>*>(memory_.view(gpu).base[gpu]), stride_};
  }

  const peers* all_;
  std::uint32_t number_;
  std::uint32_t stride_;
  symmetric_memory memory_;
};

}  // namespace finesync::atm
