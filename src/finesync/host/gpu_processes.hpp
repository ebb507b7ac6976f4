// SPDX-License-Identifier: Apache-2.0
// Processes that use one GPU each, side by side: how they tell each other values, and how they
// allocate memory that the kernels of all of them reach. peers.cuh is made of them. Host side;
// needs no CUDA.
#pragma once

#include "finesync/version.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Processes that a launcher has started together (MPI: several_gpus/mpi/mpi_processes.hpp).
class process_group {
 public:
  process_group() = default;
  process_group(const process_group&) = delete;
  process_group& operator=(const process_group&) = delete;
  virtual ~process_group() = default;

  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;

  /// Each process tells the others as many bytes. It returns when all processes have called it. All
  /// of them make the same calls in the same order.
  /// \param all the bytes of each process, by rank.
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) const = 0;
};

/// Waits until all processes have come here.
inline void meet(const process_group& group) {
  const std::byte here{};
  std::vector<std::byte> all(group.size());
  group.gather(std::span(&here, 1), all);
}

/// What each process says, by rank. \param mine as many elements in each.
template <class Type>
std::vector<Type> gather(const process_group& group, std::span<const Type> mine) {
  static_assert(std::is_trivially_copyable_v<Type>);
  std::vector<Type> all(group.size() * mine.size());
  group.gather(std::as_bytes(mine), std::as_writable_bytes(std::span(all)));
  return all;
}

/// The lists of all processes, by rank; they may differ in length.
template <class Type>
std::vector<std::vector<Type>> gather_lists(const process_group& group,
                                            const std::vector<Type>& mine) {
  const std::size_t length = mine.size();
  const auto lengths = gather(group, std::span(&length, 1));
  const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<Type> filled = mine;
  filled.resize(longest);
  const std::vector<Type> all = gather(group, std::span<const Type>(filled));
  std::vector<std::vector<Type>> lists;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(rank * longest);
    lists.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(lengths[rank]));
  }
  return lists;
}

/// Memory of one size in each process, allocated by all of them.
class pieces_of_processes {
 public:
  pieces_of_processes() = default;
  pieces_of_processes(const pieces_of_processes&) = delete;
  pieces_of_processes& operator=(const pieces_of_processes&) = delete;
  /// In all processes, when no kernel uses any of the pieces.
  virtual ~pieces_of_processes() = default;

  /// Where the kernels of this process find the piece of a process; null if they do not reach it.
  virtual std::byte* piece(unsigned rank) const = 0;
};

/// With a GPU each, the current device of the process.
class gpu_processes {
 public:
  gpu_processes() = default;
  gpu_processes(const gpu_processes&) = delete;
  gpu_processes& operator=(const gpu_processes&) = delete;
  virtual ~gpu_processes() = default;

  virtual const process_group& group() const = 0;
  /// All processes call it, with one size.
  virtual std::unique_ptr<pieces_of_processes> allocate(std::size_t bytes) const = 0;
  /// Before each launch of a kernel on all GPUs: it may use functions of the library for kernels.
  virtual void prepare(const void* /*kernel*/) const {}
};

}  // namespace finesync::inline FINESYNC_ABI
