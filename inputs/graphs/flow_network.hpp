// interim
#pragma once
#include <cstdint>
#include <vector>
namespace finesync::inputs {
struct flow_arc { std::uint32_t tail, head, capacity; };
struct flow_network { std::uint32_t nodes, source, sink; std::vector<flow_arc> arcs; };
}
