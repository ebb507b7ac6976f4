// One fault a kernel, named by the argument: nvcc_programs.sh has the hint that each must get. With
// a second argument the fault is repaired.
#include <cstdio>
#include <cstring>

__device__ int data[256], flag, count;

// Thread 0 of block 0 releases for its block, thread 0 of block 1 acquires for its own.
__global__ void release(bool is_right) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0 && is_right) __threadfence();
    if (threadIdx.x == 0) atomicExch(&flag, 1);  // release
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(&flag, 0) == 0) __nanosleep(20);
      __threadfence();
    }
    __syncthreads();
    data[128 + threadIdx.x] = data[threadIdx.x];
  }
}
__global__ void acquire(bool is_right) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(&flag, 1);
    }
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(&flag, 0) == 0) __nanosleep(20);  // acquire
      if (is_right) __threadfence();
    }
    __syncthreads();
    data[128 + threadIdx.x] = data[threadIdx.x];
  }
}
__global__ void scope(bool is_right) {
  if (blockIdx.x == 0) {
    data[0] = 1;
    if (is_right)
      __threadfence();
    else
      __threadfence_block();
    atomicExch(&flag, 1);  // scope
  } else {
    while (atomicAdd(&flag, 0) == 0) __nanosleep(20);
    __threadfence();
    data[1] = data[0];
  }
}
__global__ void barrier_before(bool is_right) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 1;
    if (is_right) __syncthreads();
    __threadfence();
    if (threadIdx.x == 0) atomicExch(&flag, 1);  // barrier_before
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(&flag, 0) == 0) __nanosleep(20);
      __threadfence();
    }
    __syncthreads();
    data[128 + threadIdx.x] = data[threadIdx.x];
  }
}
__global__ void barrier_after(bool is_right) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(&flag, 1);
    }
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(&flag, 0) == 0) __nanosleep(20);  // barrier_after
      __threadfence();
    }
    if (is_right) __syncthreads();
    data[128 + threadIdx.x] = data[threadIdx.x];
  }
}
__global__ void atomic(bool is_right) {
  if (blockIdx.x == 0)
    atomicAdd(&count, 1);
  else
    data[blockIdx.x] = is_right ? atomicAdd(&count, 0) : count;
}
__global__ void block(bool is_right) {
  __shared__ int values[64];
  values[threadIdx.x] = 1;
  if (is_right) __syncthreads();
  data[threadIdx.x] = values[63 - threadIdx.x];
}
__global__ void warp(bool is_right) {
  __shared__ int values[64];
  values[threadIdx.x] = 1;
  if (is_right) __syncwarp();
  data[threadIdx.x] = values[threadIdx.x ^ 1];
}
// The count is as the launch before has left it.
__global__ void count_set_back(bool is_right) {
  if (is_right && blockIdx.x == 1) return;
  data[blockIdx.x] = 1;
  __threadfence();
  atomicAdd(&count, 1);  // count_set_back
  while (atomicAdd(&count, 0) < 2 && !is_right) __nanosleep(20);
  __threadfence();
  if (!is_right) data[2 + blockIdx.x] = data[1 - blockIdx.x];
}
__global__ void overwritten(bool is_right) {
  if (blockIdx.x == 0) {
    atomicExch(&flag, 1);
  } else {
    if (!is_right) atomicExch(&flag, 0);  // overwritten
    while (atomicAdd(&flag, 0) == 0) __nanosleep(20);
  }
}

int main(int arguments, char** argument) {
  const auto is = [&](const char* name) { return std::strcmp(argument[1], name) == 0; };
  const bool is_right = arguments > 2;
  const int zero = 0, two = 2;
  cudaMemcpyToSymbol(count, is("count_set_back") ? &two : &zero, sizeof zero);
  const auto launch = [&](const char* name, void (*kernel)(bool), int blocks, int threads) {
    if (is(name)) kernel<<<blocks, threads>>>(is_right);
  };
  launch("release", release, 2, 64);
  launch("acquire", acquire, 2, 64);
  launch("scope", scope, 2, 1);
  launch("barrier_before", barrier_before, 2, 64);
  launch("barrier_after", barrier_after, 2, 64);
  launch("atomic", atomic, 2, 1);
  launch("block", block, 1, 64);
  launch("warp", warp, 1, 64);
  launch("count_set_back", count_set_back, 2, 1);
  launch("overwritten", overwritten, 2, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
