// SPDX-License-Identifier: Apache-2.0
#include <simt/memory/running_launch.hpp>

#include <stdexcept>

namespace simt {

namespace {

std::unique_ptr<race_detector> made_detector(const settings& how, resident_blocks& resident) {
  if (how.check != checking::races) return nullptr;
  if (how.memory != memory_kind::strong)
    throw std::invalid_argument("race checks require strong memory");
  return std::make_unique<race_detector>(resident.threads, resident.shared_memory(),
                                         resident.grid.cluster_blocks, resident.layout);
}

}  // namespace

running_launch::running_launch(const settings& s, const grid_shape& grid,
                               std::span<const grid_on_gpu> grids, stack_pool& stacks)
    : how(s),
      random(s.seed),
      resident(how, grid, grids, random),
      turns(how, resident, how.check == checking::races ? race_detector::stack_bytes : 0, stacks),
      memory(make_memory(how, resident.first_async, grid.cluster_blocks, resident.layout,
                         resident.blocks)),
      races(made_detector(how, resident)),
      progress(*memory, turns, resident) {}

}  // namespace simt
