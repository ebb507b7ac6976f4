// Streams as programs name them.
#pragma once

#include <cudart/abi.hpp>
#include <cudart/overlaps.hpp>

#include <cstdint>

struct CUgraph_st;

namespace cudart {

/// The device's. On its OS thread.
overlap_detector& overlaps();

/// Its number in the order of operations; the default streams are one.
std::uint32_t number_of(cudaStream_t stream);

/// The graph that records what the stream is asked for; null if none does.
CUgraph_st* graph_captured_in(cudaStream_t stream);

}  // namespace cudart
