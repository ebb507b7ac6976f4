#include "sorted_table.hpp"
#include "table.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/host/launch.cuh>

namespace finesync::ht {

namespace {

__global__ void make_batch(problem what, cell<std::uint32_t>* entry, cell<std::uint32_t>* node) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < what.inserts;
       i += gridDim.x * blockDim.x) {
    entry[i] = entry_of(what, i);
    node[i] = i;
  }
}

/// Places of a chunk. If the place before a chunk has the entry of the last, so have all in it.
constexpr std::uint32_t chunk = 32;

/// Each lane looks at the ends of its chunk; the warp then reads the chunks with more than one
/// entry together, one after the other.
__global__ void find_first_inserts(sorted_table_ref table) {
  assume_one_dimension();
  const std::uint32_t inserts = table.what.inserts;
  const auto entry_before = [&](std::uint32_t place) {
    return place == 0 ? ~0u : std::uint32_t{table.entry[place - 1]};
  };
  for (std::uint32_t first = (blockIdx.x * blockDim.x + threadIdx.x - lane_id()) * chunk;
       first < inserts; first += gridDim.x * blockDim.x * chunk) {
    const std::uint32_t mine = first + lane_id() * chunk;
    const std::uint32_t end = mine + chunk < inserts ? mine + chunk : inserts;
    const bool begins_one = mine < inserts && table.entry[end - 1] != entry_before(mine);
    for (unsigned left = __ballot_sync(0xffffffffu, begins_one); left != 0; left &= left - 1) {
      const std::uint32_t place =
          first + static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1) * chunk + lane_id();
      if (place >= inserts) continue;
      const std::uint32_t entry = table.entry[place];
      if (entry != entry_before(place)) table.first[entry] = place;
    }
  }
}

__global__ void link_nodes(sorted_table_ref table, table_ref lists) {
  assume_one_dimension();
  const std::uint32_t inserts = table.what.inserts;
  for (std::uint32_t place = blockIdx.x * blockDim.x + threadIdx.x; place < inserts;
       place += gridDim.x * blockDim.x) {
    const std::uint32_t node = table.node[place];
    const std::uint32_t next = place + 1;
    const bool continues = next < inserts && table.entry[next] == table.entry[place];
    if (node < inserts) lists.next[node] = continues ? std::uint32_t{table.node[next]} : no_node;
  }
}

__global__ void link_heads(sorted_table_ref table, table_ref lists) {
  assume_one_dimension();
  for (std::uint32_t entry = blockIdx.x * blockDim.x + threadIdx.x; entry < table.what.table_size;
       entry += gridDim.x * blockDim.x) {
    const std::uint32_t first = table.first[entry];
    lists.head[entry] = first < table.what.inserts ? std::uint32_t{table.node[first]} : no_node;
  }
}

}  // namespace

sorted_table::sorted_table(const problem& what)
    : what_(what),
      batch_entries_(what.inserts),
      batch_nodes_(what.inserts),
      entries_(what.inserts),
      nodes_(what.inserts),
      first_(what.table_size) {
  launch_independent(make_batch, shape_over(what.inserts), what, batch_entries_.device_data(),
                     batch_nodes_.device_data());
  batch_entries_.keep();
  batch_nodes_.keep();
  reset();
}

void sorted_table::reset() {
  entries_.fill_bytes(0xee);
  nodes_.fill_bytes(0xee);
  first_.fill_bytes(0xff);  // no_node
}

void sorted_table::find_first() {
  launch_independent(find_first_inserts, search_shape(), ref());
}

launch_shape sorted_table::search_shape() const {
  return shape_over((what_.inserts + chunk - 1) / chunk);
}

void sorted_table::link(const table_ref& lists) const {
  launch_independent(link_nodes, shape_over(what_.inserts), ref(), lists);
  launch_independent(link_heads, shape_over(what_.table_size), ref(), lists);
}

sorted_table_ref sorted_table::ref() const {
  return {what_, entries_.device_data(), nodes_.device_data(), first_.device_data()};
}

}  // namespace finesync::ht
