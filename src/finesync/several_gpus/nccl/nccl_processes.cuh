// SPDX-License-Identifier: Apache-2.0
// Memory of several processes, with a GPU each, in NCCL's symmetric windows. Kernels reach the
// pieces of all GPUs by plain loads and stores (NCCL's "load/store accessible" team), so primitives
// run on them as on the peers of one process. Needs NCCL 2.28 or later.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/error.cuh"
#include "finesync/host/gpu_processes.hpp"
#include "finesync/host/launch.cuh"

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nccl.h>
// NCCL 2.28 leaves parameters unused.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <nccl_device.h>
#pragma GCC diagnostic pop

namespace finesync::inline FINESYNC_ABI {

/// A call of NCCL failed; the message gives its error and the place of the call.
class nccl_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

inline void check_nccl(ncclResult_t status, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  if (status == ncclSuccess) return;
  throw nccl_error(std::string("NCCL: ") + ncclGetErrorString(status) + ": " +
                   ncclGetLastError(nullptr) + " (" + file + ":" + std::to_string(line) + ")");
}

struct name_of_all {
  ncclUniqueId id;
};

/// Where this GPU finds the piece of each, with a thread per GPU.
template <class Window>
__global__ void find_pieces(Window window, std::byte** pieces) {
  const unsigned gpu = thread_rank();
  pieces[gpu] = static_cast<std::byte*>(ncclGetLsaPointer(window, 0, static_cast<int>(gpu)));
}

class nccl_pieces final : public pieces_of_processes {
 public:
  nccl_pieces(ncclComm_t all, unsigned size, std::size_t bytes) : all_(all) {
    check_nccl(ncclMemAlloc(&memory_, bytes));
    check_nccl(ncclCommWindowRegister(all, memory_, bytes, &window_, NCCL_WIN_COLL_SYMMETRIC));
    buffer<std::byte*> found(size);
    launch_independent(find_pieces<ncclWindow_t>, {.blocks = 1, .threads_per_block = size}, window_,
                       found.raw_pointer());
    pieces_ = found.to_host();
  }
  ~nccl_pieces() override {
    ncclCommWindowDeregister(all_, window_);
    ncclMemFree(memory_);
  }

  std::byte* piece(unsigned rank) const override { return pieces_[rank]; }

 private:
  ncclComm_t all_;
  void* memory_ = nullptr;
  ncclWindow_t window_ = nullptr;
  std::vector<std::byte*> pieces_;
};

}  // namespace detail

class nccl_processes final : public gpu_processes {
 public:
  /// In all processes, with a device of its own as the current one of each.
  /// \throws nccl_error; launch_error if a GPU does not reach the memory of all others.
  explicit nccl_processes(std::shared_ptr<const process_group> group) : group_(std::move(group)) {
    expect_same_version();
    detail::name_of_all name = {};
    if (group_->rank() == 0) detail::check_nccl(ncclGetUniqueId(&name.id));
    name = gather(*group_, std::span<const detail::name_of_all>(&name, 1))[0];
    detail::check_nccl(ncclCommInitRank(&all_, static_cast<int>(group_->size()), name.id,
                                        static_cast<int>(group_->rank())));
#ifdef NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER
    ncclDevCommRequirements wanted = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
    ncclDevCommRequirements wanted = {};
#endif
    wanted.lsaBarrierCount = 1;
    detail::check_nccl(ncclDevCommCreate(all_, &wanted, &on_device_));
    if (const auto reached = static_cast<unsigned>(on_device_.lsaSize); reached != group_->size())
      throw launch_error("NCCL: kernels of a GPU reach the memory of " + std::to_string(reached) +
                         " of the " + std::to_string(group_->size()) + " GPUs");
  }
  ~nccl_processes() override {
    ncclDevCommDestroy(all_, &on_device_);
    ncclCommDestroy(all_);
  }

  const process_group& group() const override {
    return *group_;
  }
  std::unique_ptr<pieces_of_processes> allocate(std::size_t bytes) const override {
    return std::make_unique<detail::nccl_pieces>(all_, group_->size(), bytes);
  }

  /// For kernels that use NCCL's own device functions; it has one LSA barrier.
  const ncclDevComm& on_device() const {
    return on_device_;
  }

 private:
  /// The layout of what kernels use belongs to a version.
  static void expect_same_version() {
    constexpr int minor = 100;
    int loaded = 0;
    detail::check_nccl(ncclGetVersion(&loaded));
    if (loaded / minor != NCCL_VERSION_CODE / minor)
      throw nccl_error("NCCL: compiled for version " + std::to_string(NCCL_VERSION_CODE) +
                       ", and version " + std::to_string(loaded) + " is loaded");
  }

  std::shared_ptr<const process_group> group_;
  ncclComm_t all_ = nullptr;
  ncclDevComm on_device_ = {};
};

}  // namespace finesync::inline FINESYNC_ABI
