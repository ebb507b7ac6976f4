// SPDX-License-Identifier: Apache-2.0
#include <simt/threads/resident_blocks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace simt {

namespace {

/// Neither hardware nor this executor guarantees a block its SM, so no code may derive it from
/// blockIdx.
std::vector<int> order_of_sms(const settings& how, random_source& random) {
  std::vector<int> order(static_cast<std::size_t>(how.gpu.sms));
  std::iota(order.rbegin(), order.rend(), 0);
  if (how.schedule == schedule_kind::random) {
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  }
  return order;
}

}  // namespace

std::uint32_t max_resident_blocks(std::uint32_t threads_per_block, std::size_t shared_bytes,
                                  std::uint32_t cluster_blocks) {
  const gpu_model& gpu = current_settings().gpu;
  if (cluster_blocks == 0 || cluster_blocks > static_cast<std::uint32_t>(gpu.max_cluster_blocks()))
    return 0;
  const auto blocks = static_cast<std::uint32_t>(
      gpu.sms * gpu.blocks_per_sm(static_cast<int>(threads_per_block), shared_bytes));
  return blocks - blocks % cluster_blocks;
}

resident_blocks::resident_blocks(const settings& how, const grid_shape& shape,
                                 std::span<const grid_on_gpu> grids, random_source& random)
    : grid(shape),
      layout(grids, shape.blocks, shape.cluster),
      checked(checked_blocks(how.checked_blocks, shape.cluster_blocks(), layout.blocks())),
      threads_per_block(volume(shape.threads)),
      slots_per_block((threads_per_block + warp_size - 1) / warp_size * warp_size) {
  const std::uint32_t fitting =
      max_resident_blocks(threads_per_block, grid.shared_bytes, grid.cluster_blocks());
  if (fitting == 0 || layout.blocks() == 0) {
    throw std::invalid_argument("a kernel of this shape does not fit on one SM");
  }
  const coordinates left = remainder(grid.blocks, grid.cluster);
  if (left.x + left.y + left.z != 0) {
    throw std::invalid_argument("the grid does not divide into clusters");
  }
  if (grids.size() > 1 && layout.most_blocks_on_a_gpu() > fitting) {
    throw std::invalid_argument("grids that run together do not fit on their GPUs");
  }
  const std::uint32_t resident =
      grids.size() > 1 ? layout.blocks() : std::min(layout.blocks(), fitting);
  blocks.resize(resident);
  clusters.resize(resident / grid.cluster_blocks());
  first_async = resident * slots_per_block;
  threads.resize(std::size_t{first_async} + async_slots);
  warps.resize(threads.size() / warp_size);
  const std::size_t lines = (grid.shared_bytes + sizeof(shared_line) - 1) / sizeof(shared_line);
  shared_stride = lines * sizeof(shared_line);
  shared_memory_.resize(lines * resident);
  for (std::uint32_t i = 0; i < clusters.size(); ++i)
    clusters[i].first_slot = i * grid.cluster_blocks();
  // A cluster has as many SMs as blocks: it never has more blocks than there are SMs.
  const std::vector<int> sms = order_of_sms(how, random);
  for (std::uint32_t slot = 0; slot < resident; ++slot) {
    blocks[slot].sm = sms[layout.place_on_gpu(slot) % sms.size()];
    blocks[slot].shared = shared_memory().data() + slot * shared_stride;
    blocks[slot].shared_end = blocks[slot].shared + grid.shared_bytes;
    blocks[slot].first_thread = slot * slots_per_block;
  }
}

void resident_blocks::start(cluster_state& slot, random_source& random) {
  slot.live = threads_per_block * grid.cluster_blocks();
  for (std::uint32_t i = 0; i < grid.cluster_blocks(); ++i)
    start(blocks[slot.first_slot + i], random);
}

void resident_blocks::start(block_state& slot, random_source& random) {
  slot.rank = next_block % grid.cluster_blocks();
  const std::uint32_t last = checked / grid.cluster_blocks() / 2 * grid.cluster_blocks();
  slot.is_checked = next_block < checked - last || next_block >= layout.blocks() - last;
  slot.number = layout.block_at(next_block++);
  slot.index = unravel(layout.place_in_grid(slot.number), grid.blocks);
  slot.threads = slot.live = threads_per_block;
  fill_with_garbage(slot.shared, shared_stride, random.next());
  for (std::uint32_t i = 0; i < slots_per_block; ++i) {
    thread& t = threads[slot.first_thread + i];
    t = thread{};
    t.number = slot.first_thread + i;
    t.lane = t.number % warp_size;
    t.warp = &warps[t.number / warp_size];
    if (t.lane == 0) *t.warp = warp_state{};
    t.block = &slot;
    if (i >= threads_per_block) continue;
    t.index = unravel(i, grid.threads);
    t.warp->live |= 1u << t.lane;
    t.warp->existing |= 1u << t.lane;
  }
}

block_state* resident_blocks::owner_in_cluster(const thread& by, const void* address,
                                               std::size_t bytes) {
  const auto* const at = static_cast<const std::byte*>(address);
  const auto belongs_to = [&](const block_state& block) {
    return at >= block.shared && at < block.shared_end &&
           bytes <= static_cast<std::size_t>(block.shared_end - at);
  };
  if (belongs_to(*by.block)) return by.block;
  const auto first = blocks.begin() + cluster_of(*by.block).first_slot;
  const auto found = std::find_if(first, first + grid.cluster_blocks(), belongs_to);
  return found == first + grid.cluster_blocks() ? nullptr : &*found;
}

const thread* resident_blocks::find(std::uint32_t block, std::uint32_t number) const {
  const auto owner = std::ranges::find(blocks, block, &block_state::number);
  if (owner == blocks.end()) return nullptr;
  const thread& found = threads[owner->first_thread + number];
  return found.state == thread_state::finished ? nullptr : &found;
}

std::string resident_blocks::name_of(const thread& t) const {
  if (t.started_by != nullptr) return "the asynchronous copy of " + name_of(*t.started_by);
  return fmt::format("{}, thread {}", layout.name_of(t.block->number),
                     t.number - t.block->first_thread);
}

}  // namespace simt
