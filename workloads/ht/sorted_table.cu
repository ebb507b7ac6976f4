#include "sorted_table.hpp"
#include "table.cuh"

#include <finesync/host/launch.cuh>

namespace finesync::ht {

namespace {

__global__ void make_batch(problem what, cell<std::uint32_t>* entry, cell<std::uint32_t>* node) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < what.inserts;
       i += gridDim.x * blockDim.x) {
    entry[i] = entry_of(what, i);
    node[i] = i;
  }
}

/// Places of a thread. If the place before them has the entry of the last, so have all.
constexpr std::uint32_t chunk = 32;

__global__ void find_first_inserts(sorted_table_ref table) {
  const std::uint32_t inserts = table.what.inserts;
  for (std::uint32_t begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk; begin < inserts;
       begin += gridDim.x * blockDim.x * chunk) {
    const std::uint32_t end = begin + chunk < inserts ? begin + chunk : inserts;
    std::uint32_t before = begin == 0 ? ~0u : std::uint32_t{table.entry[begin - 1]};
    if (table.entry[end - 1] == before) continue;
    for (std::uint32_t place = begin; place < end; ++place) {
      const std::uint32_t entry = table.entry[place];
      if (entry != before) table.first[entry] = place;
      before = entry;
    }
  }
}

__global__ void link_nodes(sorted_table_ref table, table_ref lists) {
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
