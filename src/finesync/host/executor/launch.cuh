// SPDX-License-Identifier: Apache-2.0
// The host executor's part of launch.cuh.
#pragma once

#include "finesync/device/platform.cuh"
#include "finesync/host/launch_shape.cuh"
#include "finesync/host/stream.cuh"

#ifdef FINESYNC_HOST_EXECUTOR

#include <simt/launch.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// Reports name the user's call before a line of these headers, wherever they are. Not inline: the
/// library itself may have been compiled in another folder.
[[maybe_unused]] static const bool reports_name_calls = simt::library_sources(
    std::string_view(__FILE__, sizeof(__FILE__) - sizeof("host/executor/launch.cuh")));

inline bool machine_has_clusters() {
  return simt::current_settings().gpu.max_cluster_blocks() > 1;
}

inline unsigned max_resident_blocks(const void* /*function*/, const launch_shape& shape) {
  return simt::max_resident_blocks(shape.threads_per_block, shape.shared_bytes,
                                   shape.cluster_blocks);
}

/// A kernel with its parameters, without their types: `run(call)`. They are bytes that may be
/// copied, as for a GPU.
struct bound_kernel {
  const void* function;
  void (*run)(void* call);
  void* call;
  std::size_t bytes;  ///< of *call
};

/// \param call calls the kernel with its parameters.
template <class Call>
bound_kernel bind(const void* function, Call& call) {
  static_assert(std::is_trivially_copyable_v<Call> &&
                alignof(Call) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  return {function, [](void* raw) { (*static_cast<Call*>(raw))(); }, &call, sizeof(Call)};
}

/// A grid that does not fit would run in parts.
inline constexpr bool start_refuses_what_does_not_fit = false;

/// Runs one grid for each stream, at the same time. All have the same kernel.
void run_grids(std::span<const stream> on, std::span<const bound_kernel> kernels,
               const launch_shape& shape);

inline bool start(const stream& on, bool /*cooperative*/, const bound_kernel& kernel,
                  const launch_shape& shape) {
  run_grids({&on, 1}, {&kernel, 1}, shape);
  return true;
}

template <class Queue, class... Parameters>
void enqueue_with(Queue& in, bool cooperative, void (*kernel)(Parameters...),
                  const launch_shape& shape, std::type_identity_t<Parameters>... parameters) {
  auto call = [kernel, parameters...] { kernel(parameters...); };
  enqueue(in, cooperative, bind(reinterpret_cast<const void*>(kernel), call), shape);
}

/// One grid in each stream, at the same time. \param parameters one tuple per stream.
template <class... Parameters>
void start_together(std::span<const stream> on, void (*kernel)(Parameters...),
                    const launch_shape& shape, std::tuple<Parameters...>* parameters) {
  struct call {
    void (*kernel)(Parameters...);
    const std::tuple<Parameters...>* parameters;
    void operator()() const { std::apply(kernel, *parameters); }
  };
  std::vector<call> calls(on.size());
  std::vector<bound_kernel> bound(on.size());
  for (std::size_t i = 0; i < on.size(); ++i) {
    calls[i] = {kernel, &parameters[i]};
    bound[i] = bind(reinterpret_cast<const void*>(kernel), calls[i]);
  }
  run_grids(on, bound, shape);
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI

#endif
