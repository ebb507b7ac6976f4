// SPDX-License-Identifier: Apache-2.0
// One thread that executes a program on its fiber.
#pragma once

#include <ptx/decode/program.hpp>
#include <ptx/execute/failures.hpp>
#include <simt/device_api.hpp>

#include <bit>
#include <cstring>
#include <type_traits>

namespace ptx {

/// What all threads of a launch share.
struct launch_state {
  const program* code = nullptr;
  const launch_options* options = nullptr;
  std::vector<std::uint64_t> constants{};
  std::vector<std::byte> parameters{};
  std::vector<std::uint64_t> parameter_addresses{};  ///< addresses of the parameters
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t shared_bytes = 0;
};

/// Memory of one call that its thread alone can access, and that of the caller.
struct private_memory {
  const private_memory* caller;
  std::uintptr_t begin;
  std::size_t bytes;

  bool holds(std::uintptr_t address, std::size_t wanted) const {
    const std::uintptr_t into = address - begin;  // a lower address becomes a huge offset
    return into < bytes && wanted <= bytes - into;
  }
};

class thread_state {
 public:
  explicit thread_state(const launch_state& launch);

  /// Runs a function to its end. \param pointers to its results and parameters.
  void call(const function& callee, const std::uint64_t* pointers);

  std::uint64_t read(operand from) const { return slots_[from.bits & 1][from.bits >> 1]; }
  void write(operand to, std::uint64_t bits) {
    const_cast<std::uint64_t*>(slots_[0])[to.bits >> 1] = bits;
  }

  /// As a T: the low bytes of the slot.
  template <class T>
  T get(operand from) const {
    if constexpr (std::is_same_v<T, bool>) {
      return read(from) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(read(from));
    } else {
      T value;
      const std::uint64_t bits = read(from);
      static_assert(std::endian::native == std::endian::little && sizeof(T) <= sizeof bits);
      std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
      return value;
    }
  }

  /// Signed values are extended: a register may be wider than the type.
  template <class T>
  void put(operand to, T value) {
    if constexpr (std::is_integral_v<T>) {
      write(to, static_cast<std::uint64_t>(value));
    } else {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      write(to, bits);
    }
  }

  const launch_state& launch() const { return launch_; }
  const function& running() const { return *running_; }
  std::byte* local() const { return local_; }
  std::byte* shared() const { return shared_; }

  /// Whether the thread alone can access the bytes: local memory of a call that has not returned,
  /// or the kernel's parameters.
  bool is_private(const void* at, std::size_t bytes) const {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    for (const private_memory* each = private_; each != nullptr; each = each->caller)
      if (each->holds(address, bytes)) return true;
    return false;
  }

  void end_thread() { has_ended_ = true; }
  bool has_ended() const { return has_ended_; }

  std::uint32_t carry = 0;
  std::uint64_t copy_groups = 0;       ///< of cp.async: the number of the one that is filled
  std::uint64_t copy_groups_done = 0;  ///< that have been waited for
  std::uint64_t bulk_groups = 0;       ///< the same of cp.async.bulk
  std::uint64_t bulk_groups_done = 0;
  std::uint64_t bulk_groups_read = 0;          ///< whose reads have been waited for
  const instruction* last_in_group = nullptr;  ///< the last cp.async.bulk of a group
  std::uint64_t its_group = 0;
  std::byte* async_barrier = nullptr;  ///< that the next st.async or red.async completes at
  simt::memory_order cluster_arrival = simt::memory_order::acq_rel;  ///< of the last arrival

 private:
  const std::uint64_t* slots_[2];  ///< registers, constants
  const launch_state& launch_;
  const function* running_ = nullptr;
  std::byte* local_ = nullptr;
  std::byte* shared_ = nullptr;
  const private_memory parameters_;  ///< of the kernel
  const private_memory* private_ = &parameters_;
  bool has_ended_ = false;
};

/// Ends the launch: names the instruction and its place. \throws simt::execution_error.
[[noreturn]] void fail_at(const instruction& where, simt::fault what);
[[noreturn]] void fail_at(const instruction& where, const failure& what);

}  // namespace ptx
