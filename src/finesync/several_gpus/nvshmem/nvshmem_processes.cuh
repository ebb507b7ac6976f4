// SPDX-License-Identifier: Apache-2.0
// Memory of several processes, with a GPU each, on the symmetric heap of NVSHMEM. Kernels reach the
// pieces of GPUs of their host by plain loads and stores, and those of other hosts by functions of
// NVSHMEM alone. Needs NVSHMEM 3.8 or later, without its device library: kernels have its functions
// inlined (nvshmem_functions.cuh).
#pragma once

#include "finesync/device/memory_model.cuh"
#include "finesync/host/error.cuh"
#include "finesync/host/gpu_processes.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
// Before the first header of NVSHMEM: it decides what the others declare.
#define NVSHMEM_ENABLE_ALL_DEVICE_INLINING
#include <host/nvshmemx_api.h>

#include <nvshmem_host.h>

namespace finesync::inline FINESYNC_ABI {

/// A call of NVSHMEM failed; NVSHMEM has written more to stderr.
class nvshmem_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

inline void check_nvshmem(const char* call, int status) {
  if (status != 0)
    throw nvshmem_error(std::string("NVSHMEM: ") + call + "() failed with status " +
                        std::to_string(status));
}

/// A function of the driver, to which programs are not linked.
template <class Function>
Function of_driver(const char* name) {
  constexpr unsigned version = 12000;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  check_cuda(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result));
#else
  check_cuda(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result));
#endif
  if (found == nullptr) throw nvshmem_error(std::string("the CUDA driver has no ") + name);
  return reinterpret_cast<Function>(found);
}

struct heap_of_all {
  nvshmemx_uniqueid_t id;
};

class nvshmem_pieces final : public pieces_of_processes {
 public:
  nvshmem_pieces(unsigned size, std::size_t bytes) : memory_(nvshmem_align(line_bytes, bytes)) {
    if (memory_ == nullptr) throw std::bad_alloc();
    for (unsigned rank = 0; rank < size; ++rank)
      pieces_.push_back(static_cast<std::byte*>(nvshmem_ptr(memory_, static_cast<int>(rank))));
  }
  ~nvshmem_pieces() override { nvshmem_free(memory_); }

  std::byte* piece(unsigned rank) const override { return pieces_[rank]; }

 private:
  void* memory_;
  std::vector<std::byte*> pieces_;
};

}  // namespace detail

/// At most one at a time in a process.
class nvshmem_processes final : public gpu_processes {
 public:
  /// In all processes, with a device of its own as the current one of each. \throws nvshmem_error.
  explicit nvshmem_processes(std::shared_ptr<const process_group> group)
      : group_(std::move(group)) {
    detail::heap_of_all heap = {NVSHMEMX_UNIQUEID_INITIALIZER};
    if (group_->rank() == 0)
      detail::check_nvshmem("nvshmemx_get_uniqueid", nvshmemx_get_uniqueid(&heap.id));
    heap = gather(*group_, std::span<const detail::heap_of_all>(&heap, 1))[0];
    nvshmemx_init_attr_t how = NVSHMEMX_INIT_ATTR_INITIALIZER;
    detail::check_nvshmem(
        "nvshmemx_set_attr_uniqueid_args",
        nvshmemx_set_attr_uniqueid_args(static_cast<int>(group_->rank()),
                                        static_cast<int>(group_->size()), &heap.id, &how));
    detail::check_nvshmem("nvshmemx_hostlib_init_attr",
                          nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &how));
  }
  ~nvshmem_processes() override {
    for (CUmodule each : prepared_) nvshmemx_cumodule_finalize(each);
    nvshmemx_hostlib_finalize();
  }

  const process_group& group() const override { return *group_; }
  std::unique_ptr<pieces_of_processes> allocate(std::size_t bytes) const override {
    return std::make_unique<detail::nvshmem_pieces>(group_->size(), bytes);
  }
  /// Kernels of each source file have a state of NVSHMEM of their own, if they use its functions.
  void prepare(const void* kernel) const override {
    if (!seen_.insert(kernel).second) return;
    cudaFunction_t function = nullptr;
    check_cuda(cudaGetFuncBySymbol(&function, kernel));
    CUmodule module = nullptr;
    if (module_of_(&module, function) != CUDA_SUCCESS)
      throw nvshmem_error("the CUDA driver does not report the module of a kernel");
    CUdeviceptr state = 0;
    if (global_of_(&state, nullptr, module, "nvshmemi_device_state_d") != CUDA_SUCCESS) return;
    if (!prepared_.insert(module).second) return;
    detail::check_nvshmem("nvshmemx_cumodule_init", nvshmemx_cumodule_init(module));
  }

 private:
  std::shared_ptr<const process_group> group_;
  PFN_cuFuncGetModule_v11000 module_of_ =
      detail::of_driver<PFN_cuFuncGetModule_v11000>("cuFuncGetModule");
  PFN_cuModuleGetGlobal_v3020 global_of_ =
      detail::of_driver<PFN_cuModuleGetGlobal_v3020>("cuModuleGetGlobal");
  mutable std::set<const void*> seen_;  ///< kernels
  mutable std::set<CUmodule> prepared_;
};

}  // namespace finesync::inline FINESYNC_ABI
