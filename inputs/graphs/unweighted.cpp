#include <inputs/graphs/build.hpp>
#include <inputs/graphs/unweighted.hpp>
#include <inputs/graphs/weights.cuh>

namespace finesync::inputs {
namespace {

constexpr std::uint32_t seed = 2019;  // a file has the same weights each time
constexpr std::uint32_t largest = 100;

}  // namespace

void set_usual_weights(graph& of) {
  set_weights(of, [](std::uint32_t one, std::uint32_t other) {
    return uniform_weight(edge_bits(seed, one, other), largest);
  });
}

void set_road_weights(graph& of) {
  set_weights(of, [](std::uint32_t one, std::uint32_t other) {
    return road_weight(edge_bits(seed, one, other));
  });
}

}  // namespace finesync::inputs
