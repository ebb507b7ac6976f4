// SPDX-License-Identifier: Apache-2.0
// A word of device memory for relaxed operations of device scope; fences and barriers around them
// order memory.
//
// Unlike atomic_ref, it is known to be in device memory. Through a pointer that may also refer to
// shared memory, a 64-bit read-modify-write becomes an instruction that may fail there, followed by
// a loop. Each operation then waits for its result, even if unused, and no two overlap.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

class global_atomic_ref {
 public:
  /// \param target in device memory, not in shared memory.
  __device__ explicit global_atomic_ref(cell<std::uint64_t>& target) : target_(&target) {}

#ifdef FINESYNC_HOST_EXECUTOR
  __forceinline__ std::uint64_t load() const {
    return ref().load(memory_order::relaxed);
  }
  __forceinline__ std::uint64_t load_cached() const {
    return simt::perform({.kind = simt::op_kind::load,
                          .bytes = sizeof(std::uint64_t),
                          .may_be_stale = true,
                          .address = target_->address()})
        .low;
  }
  __forceinline__ void store(std::uint64_t value) const {
    ref().store(value, memory_order::relaxed);
  }
  __forceinline__ std::uint64_t exchange(std::uint64_t value) const {
    return ref().exchange(value, memory_order::relaxed);
  }
  __forceinline__ std::uint64_t fetch_add(std::uint64_t value) const {
    return ref().fetch_add(value, memory_order::relaxed);
  }
  __forceinline__ std::uint64_t fetch_min(std::uint64_t value) const {
    return ref().fetch_min(value, memory_order::relaxed);
  }

 private:
  __forceinline__ atomic_ref<std::uint64_t, scope::device> ref() const {
    return atomic_ref<std::uint64_t, scope::device>(*target_);
  }
#else
  __device__ std::uint64_t load() const {
    std::uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(address()) : "memory");
    return value;
  }
  /// A value that the word has had since a fence or a barrier last ordered this thread after a
  /// store to it. It may come from the SM's own cache, which other SMs do not write, so the caller
  /// must tolerate an older value. If other threads write meanwhile, this is a race of accesses of
  /// one size; PTX's memory model still defines which values may be read (PTX ISA, "Limitations on
  /// mixed-size data-races").
  __device__ std::uint64_t load_cached() const {
    std::uint64_t value;
    asm volatile("ld.relaxed.cta.global.u64 %0, [%1];" : "=l"(value) : "l"(address()) : "memory");
    return value;
  }
  __device__ void store(std::uint64_t value) const {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(address()), "l"(value) : "memory");
  }
  __device__ std::uint64_t exchange(std::uint64_t value) const {
    std::uint64_t before;
    asm volatile("atom.relaxed.gpu.global.exch.b64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(address()), "l"(value)
                 : "memory");
    return before;
  }
  __device__ std::uint64_t fetch_add(std::uint64_t value) const {
    std::uint64_t before;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(address()), "l"(value)
                 : "memory");
    return before;
  }
  __device__ std::uint64_t fetch_min(std::uint64_t value) const {
    std::uint64_t before;
    asm volatile("atom.relaxed.gpu.global.min.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(address()), "l"(value)
                 : "memory");
    return before;
  }

 private:
  __device__ std::size_t address() const {
    return __cvta_generic_to_global(target_);
  }
#endif

  cell<std::uint64_t>* target_;
};

}  // namespace finesync::inline FINESYNC_ABI
