// The memory model's vocabulary for kernels: the order and the scope of an access.
#pragma once

#include "finesync/version.hpp"

#include <simt/memory_model.hpp>

#include <cstddef>

namespace finesync::inline FINESYNC_ABI {

using simt::acquires;
using simt::memory_order;
using simt::releases;
using simt::scope;

/// The owner of a word in a cluster's shared memory. Every block can access it; the owning block
/// accesses it faster, if the code says so.
enum class shared_owner { any_block, own_block };

/// Distance at which two hot words do not disturb each other: one L2 line.
inline constexpr std::size_t line_bytes = 128;

}  // namespace finesync::inline FINESYNC_ABI
