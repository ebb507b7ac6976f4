// What kernels have left on each of several GPUs, for the host: also on those of other processes.
#pragma once

#include <finesync/host/buffer.cuh>
#include <finesync/host/peers.cuh>
#include <finesync/several_gpus/symmetric_memory.cuh>

#include <cstdint>
#include <vector>

namespace finesync::workload {

/// The elements on each GPU, by GPU. All processes call it. \param own a buffer on each GPU of this
/// process; their sizes may differ.
template <class T>
std::vector<std::vector<T>> of_all_gpus(const peers& all, const std::vector<buffer<T>>& own) {
  std::vector<std::vector<T>> lists;
  for (const buffer<T>& each : own) lists.push_back(each.to_host());
  return all.gather_lists(lists);
}

/// The words of each piece, by GPU. All processes call it.
inline std::vector<std::vector<std::uint32_t>> of_all_gpus(const peers& all,
                                                           const symmetric_memory& words) {
  std::vector<std::vector<std::uint32_t>> lists;
  for (const unsigned gpu : all.own()) lists.push_back(words.piece(gpu).to_host());
  return all.gather_lists(lists);
}

/// One list after the other.
template <class T>
std::vector<T> joined(const std::vector<std::vector<T>>& lists) {
  std::vector<T> all;
  for (const std::vector<T>& each : lists) all.insert(all.end(), each.begin(), each.end());
  return all;
}

}  // namespace finesync::workload
