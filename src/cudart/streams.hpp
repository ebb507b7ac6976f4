// Streams as programs name them.
#pragma once

#include <cudart/abi.hpp>
#include <cudart/overlaps.hpp>

#include <cstdint>

namespace cudart {

/// The device's. On its OS thread.
overlap_detector& overlaps();

/// Its number in the order of operations; the default streams are one.
std::uint32_t number_of(cudaStream_t stream);

}  // namespace cudart
