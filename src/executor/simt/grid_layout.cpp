// SPDX-License-Identifier: Apache-2.0
#include <simt/grid_layout.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace simt {

grid_layout::grid_layout(std::span<const grid_on_gpu> grids, const coordinates& blocks,
                         const coordinates& cluster)
    : grids_(grids.begin(), grids.end()),
      shape_(blocks),
      cluster_(cluster),
      blocks_per_grid_(volume(blocks)),
      cluster_blocks_(volume(cluster)),
      is_in_order_(cluster.y * cluster.z == 1) {
  const bool on_one = std::all_of(grids_.begin(), grids_.end(), [&](const grid_on_gpu& grid) {
    return grid.gpu == grids_.front().gpu;
  });
  for (grid_on_gpu& grid : grids_) {
    if (on_one) grid.gpu = 0;  // whichever it is
    gpus_ = std::max(gpus_, grid.gpu + 1);
  }
}

std::uint32_t grid_layout::block_at(std::uint32_t place) const {
  if (is_in_order_) return place;
  const std::uint32_t in_grid = place_in_grid(place);
  const coordinates which = unravel(in_grid / cluster_blocks_, quotient(shape_, cluster_));
  const coordinates within = unravel(in_grid % cluster_blocks_, cluster_);
  const coordinates at{which.x * cluster_.x + within.x, which.y * cluster_.y + within.y,
                       which.z * cluster_.z + within.z};
  return place - in_grid + ravel(at, shape_);
}

std::uint32_t grid_layout::cluster_of_box(std::uint32_t block) const {
  const std::uint32_t in_grid = place_in_grid(block);
  const coordinates which = quotient(unravel(in_grid, shape_), cluster_);
  return (block - in_grid) / cluster_blocks_ + ravel(which, quotient(shape_, cluster_));
}

std::uint32_t grid_layout::place_on_gpu(std::uint32_t block) const {
  const std::uint32_t grid = block / blocks_per_grid_;
  const auto before =
      std::count_if(grids_.begin(), grids_.begin() + grid,
                    [&](const grid_on_gpu& other) { return other.gpu == grids_[grid].gpu; });
  return static_cast<std::uint32_t>(before) * blocks_per_grid_ + place_in_grid(block);
}

std::uint32_t grid_layout::most_blocks_on_a_gpu() const {
  std::uint32_t most = 0;
  for (std::uint32_t first = 0; first < blocks(); first += blocks_per_grid_)
    most = std::max(most, place_on_gpu(first) + blocks_per_grid_);
  return most;
}

std::string grid_layout::name_of(std::uint32_t block) const {
  std::string name = fmt::format("block {}", place_in_grid(block));
  if (grids_.size() == 1) return name;
  if (most_blocks_on_a_gpu() == blocks_per_grid_)
    return name + fmt::format(" of GPU {}", gpu_of(block));
  return name + fmt::format(" of grid {}", block / blocks_per_grid_);
}

}  // namespace simt
