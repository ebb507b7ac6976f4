#include "table.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/stream.cuh>

namespace finesync::ht {

namespace {

const problem& that_fits(const problem& what, const stream& on) {
  const device_guard here(on.device());
  require_device_memory((std::size_t{what.table_size} + 2 * std::size_t{what.inserts}) *
                        sizeof(std::uint32_t));
  return what;
}

// One thread per entry. A walk marks the nodes that it reaches and ends at a marked node, so it
// also ends on a corrupted list. `filled` marks the entries with a list; null for the only part.
__global__ void check_lists(table_ref table, cell<std::uint32_t>* visited,
                            cell<std::uint32_t>* filled, cell<std::uint64_t>* sums) {
  assume_one_dimension();
  std::uint64_t found = 0;
  std::uint64_t misplaced = 0;
  std::uint64_t repeated = 0;
  for (std::uint32_t entry = blockIdx.x * blockDim.x + threadIdx.x; entry < table.what.table_size;
       entry += gridDim.x * blockDim.x) {
    if (filled != nullptr && table.head[entry] != no_node) {
      if (filled[entry] != 0) ++misplaced;
      filled[entry] = 1;
    }
    for (std::uint32_t node = table.head[entry]; node != no_node; node = table.next[node]) {
      if (node >= table.what.inserts || atomic_ref<std::uint32_t, scope::device>(visited[node])
                                                .exchange(1, memory_order::relaxed) != 0) {
        ++repeated;
        break;
      }
      ++found;
      if (entry_of(table.what, node) != entry) ++misplaced;
    }
  }
  using sum = atomic_ref<std::uint64_t, scope::device>;
  if (found > 0) sum(sums[0]).fetch_add(found, memory_order::relaxed);
  if (misplaced > 0) sum(sums[1]).fetch_add(misplaced, memory_order::relaxed);
  if (repeated > 0) sum(sums[2]).fetch_add(repeated, memory_order::relaxed);
}

}  // namespace

std::string table_check::describe(const problem& what) const {
  return std::to_string(found) + " of " + std::to_string(what.inserts) + " nodes found, " +
         std::to_string(misplaced) + " in a wrong list, " + std::to_string(repeated) +
         " lists broken";
}

table::table(const problem& what, const stream& on)
    : what_(that_fits(what, on)),
      head_(what.table_size, on),
      next_(what.inserts, on),
      visited_(what.inserts, on),
      sums_(3, on) {
  reset();
}

void table::reset() {
  head_.fill_bytes(0xff);  // no_node
  next_.fill_bytes(0xee);
}

table_ref table::ref() const {
  return {what_, head_.device_data(), next_.device_data()};
}

table_check table::check(std::span<table> parts) {
  table& first = parts.front();
  const problem& what = first.what_;
  const stream& home = first.head_.own_stream();
  first.visited_.fill_bytes(0);
  first.sums_.fill_bytes(0);
  buffer<std::uint32_t> filled;
  if (parts.size() > 1) filled = buffer<std::uint32_t>::zeroed(what.table_size, home);
  home.synchronize();
  // One after the other: what one marks, the next finds.
  for (const table& part : parts) {
    const stream& on = part.head_.own_stream();
    launch_independent(on, check_lists, shape_over(what.table_size), part.ref(),
                       first.visited_.device_data(), filled.device_data(),
                       first.sums_.device_data());
    on.synchronize();
  }
  const auto sums = first.sums_.to_host();
  return {sums[0], sums[1], sums[2]};
}

}  // namespace finesync::ht
