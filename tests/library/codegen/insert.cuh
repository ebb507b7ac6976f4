// The common part of both files of locks: a hash-table insert, one per thread, protected by a lock.
#pragma once

#include <cstdint>

struct table {
  const std::uint32_t* entry;  ///< of each insert
  std::uint32_t* head;
  std::uint32_t* next;

  __device__ void push(std::uint32_t e, std::uint32_t node) const {
    next[node] = head[e];
    head[e] = node;
  }
};

__device__ inline std::uint32_t thread_number() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
