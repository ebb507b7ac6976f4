// The words of the memory model, as kernels name them: the order and the scope of an access.
#pragma once

#include "finesync/version.hpp"

#include <simt/memory_model.hpp>

#include <cstddef>

namespace finesync {
inline namespace FINESYNC_ABI {

using simt::acquires;
using simt::memory_order;
using simt::releases;
using simt::scope;

/// In whose shared memory a word lies that a cluster shares. Every block reaches it; its own block
/// reaches it sooner, if the code says so.
enum class shared_owner { any_block, own_block };

/// Distance at which two hot words stop disturbing each other: one L2 line.
inline constexpr std::size_t line_bytes = 128;

}  // namespace FINESYNC_ABI
}  // namespace finesync
