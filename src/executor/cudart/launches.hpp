// SPDX-License-Identifier: Apache-2.0
// Launches as programs ask for them.
#pragma once

#include <cudart/abi.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace cudart {

struct launch_shape {
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes;
  bool is_cooperative = false;
  bool overlaps = false;  ///< a programmatic dependent launch
  dim3 cluster{0, 0, 0};  ///< in blocks; zeros: as the kernel says
};

/// What a block may have of shared memory unless cudaFuncSetAttribute() allows its kernel more.
inline constexpr std::size_t usual_shared_bytes = std::size_t{48} << 10;

/// Takes an attribute of a launch, but for those that change nothing here.
void set_attribute(launch_shape& to, int attribute, const cudaLaunchAttributeValue& value);

/// What can be done later, in a stream.
using work = std::function<cudaError_t(cudaStream_t)>;

/// A launch. Its parameters are copied now; its shape is read when it is done.
/// \param host the address that the kernel was registered with.
/// \param from where the program asks for it.
/// \param has_status the program gets its status.
work launch_of(const void* host, std::shared_ptr<const launch_shape> shape, void** arguments,
               const void* from, bool has_status = true);

}  // namespace cudart
