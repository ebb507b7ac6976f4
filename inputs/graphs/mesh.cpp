#include <inputs/glibc_random.hpp>
#include <inputs/graphs/mesh.cuh>
#include <inputs/graphs/mesh.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace finesync::inputs {
namespace {

constexpr std::uint32_t ways = 3;

// `capacity_of(vertex, way)` is the capacity of an arc to the next column: to the row above, the
// same row or the row below.
template <class CapacityOf>
class mesh {
 public:
  mesh(const std::string& name, const mesh_shape& shape, CapacityOf capacity_of)
      : shape_(shape), sink_(shape.rows * shape.columns + 1), capacity_of_(capacity_of) {
    made_.name = name;
  }

  flow_network made() {
    const std::size_t arcs = std::size_t{2} * shape_.rows * (ways * shape_.columns - 1);
    made_.first.reserve(std::size_t{sink_} + 2);
    made_.targets.reserve(arcs);
    made_.weights.reserve(arcs);
    for (std::uint32_t row = 0; row < shape_.rows; ++row) put(1 + row, most());
    end_vertex();
    for (std::uint32_t column = 0; column < shape_.columns; ++column)
      for (std::uint32_t row = 0; row < shape_.rows; ++row) {
        put_back(column, row);
        put_on(column, row);
        end_vertex();
      }
    for (std::uint32_t row = 0; row < shape_.rows; ++row) put(sink_ - shape_.rows + row, 0);
    end_vertex();
    return network_of(std::move(made_), 0, sink_);
  }

 private:
  struct arc {
    std::uint32_t target;
    std::uint32_t capacity;
  };

  std::uint32_t most() const { return ways * shape_.largest; }
  std::uint32_t vertex(std::uint32_t column, std::uint32_t row) const {
    return 1 + column * shape_.rows + row;
  }
  std::uint32_t neighbour(std::uint32_t row, std::uint32_t way) const {
    return (row + way + shape_.rows - 1) % shape_.rows;
  }

  void put(std::uint32_t target, std::uint32_t capacity) {
    made_.targets.push_back(target);
    made_.weights.push_back(capacity);
  }

  void put_in_order(std::array<arc, ways> arcs) {
    std::ranges::sort(arcs, {}, &arc::target);
    for (const arc& each : arcs) put(each.target, each.capacity);
  }

  void put_back(std::uint32_t column, std::uint32_t row) {
    if (column == 0) return put(0, 0);
    std::array<arc, ways> arcs;
    for (std::uint32_t way = 0; way < ways; ++way)
      arcs[way] = {vertex(column - 1, neighbour(row, way)), 0};
    put_in_order(arcs);
  }

  void put_on(std::uint32_t column, std::uint32_t row) {
    if (column + 1 == shape_.columns) return put(sink_, most());
    std::array<arc, ways> arcs;
    for (std::uint32_t way = 0; way < ways; ++way)
      arcs[way] = {vertex(column + 1, neighbour(row, way)), capacity_of_(vertex(column, row), way)};
    put_in_order(arcs);
  }

  void end_vertex() { made_.first.push_back(made_.arcs()); }

  mesh_shape shape_;
  std::uint32_t sink_;
  CapacityOf capacity_of_;
  graph made_;
};

}  // namespace

flow_network washington_mesh(const std::string& name, const mesh_shape& shape, std::uint32_t seed) {
  // Vertex by vertex in ascending order, the order of the calls.
  glibc_random random(seed);
  return mesh(name, shape,
              [&](std::uint32_t, std::uint32_t) { return random() % shape.largest + 1; })
      .made();
}

flow_network counted_mesh(const std::string& name, const mesh_shape& shape, std::uint32_t seed) {
  return mesh(name, shape,
              [&](std::uint32_t vertex, std::uint32_t way) {
                return mesh_capacity(shape.largest, seed, vertex, way);
              })
      .made();
}

}  // namespace finesync::inputs
