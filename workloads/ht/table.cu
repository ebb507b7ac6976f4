#include "table.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/stream.cuh>

#include <cstddef>
#include <utility>

namespace finesync::ht {

namespace {

// One thread per entry. A walk marks the nodes that it reaches and ends at a marked node, so it
// also ends on a corrupted list.
__global__ void check_lists(table_ref table, cell<std::uint32_t>* visited,
                            cell<std::uint64_t>* sums) {
  assume_one_dimension();
  std::uint64_t found = 0;
  std::uint64_t misplaced = 0;
  std::uint64_t repeated = 0;
  for (std::uint32_t entry = blockIdx.x * blockDim.x + threadIdx.x; entry < table.what.table_size;
       entry += gridDim.x * blockDim.x) {
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

table_check table_check::of_parts(std::span<const table_check> parts,
                                  std::span<const std::vector<std::uint32_t>> heads) {
  table_check all{};
  for (const table_check& part : parts) {
    all.found += part.found;
    all.misplaced += part.misplaced;
    all.repeated += part.repeated;
  }
  std::vector<bool> filled(heads.front().size());
  for (const std::vector<std::uint32_t>& of_part : heads) {
    for (std::size_t entry = 0; entry < filled.size(); ++entry) {
      if (of_part[entry] == no_node) continue;
      if (filled[entry]) ++all.misplaced;
      filled[entry] = true;
    }
  }
  return all;
}

const problem& that_fits(const problem& what, const stream& on, unsigned parts) {
  const device_guard here(on.device());
  require_device_memory(parts * (std::size_t{what.table_size} + 2 * std::size_t{what.inserts}) *
                        sizeof(std::uint32_t));
  return what;
}

table::table(const problem& what, const stream& on)
    : what_(that_fits(what, on)),
      head_(what.table_size, on),
      next_(what.inserts, on),
      visited_(what.inserts, on),
      sums_(3, on) {
  reset();
}

table::table(const problem& what, buffer<std::uint32_t> heads, buffer<std::uint32_t> nexts)
    : what_(what),
      head_(std::move(heads)),
      next_(std::move(nexts)),
      visited_(what.inserts, head_.own_stream()),
      sums_(3, head_.own_stream()) {
  reset();
}

void table::reset() {
  head_.fill_bytes(0xff);  // no_node
  next_.fill_bytes(0xee);
}

table_ref table::ref() const {
  return {what_, head_.device_data(), next_.device_data()};
}

table_check table::check() {
  const stream& on = head_.own_stream();
  visited_.fill_bytes(0);
  sums_.fill_bytes(0);
  launch_independent(on, check_lists, shape_over(what_.table_size), ref(), visited_.device_data(),
                     sums_.device_data());
  const auto sums = sums_.to_host();
  return {sums[0], sums[1], sums[2]};
}

}  // namespace finesync::ht
