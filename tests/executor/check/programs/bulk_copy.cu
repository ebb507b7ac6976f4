// A tile comes by a bulk copy, and goes by another one. Broken: the first is not waited for.
#include <cuda/barrier>
#include <cuda/ptx>

#include <cstdint>
#include <cstdio>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;

constexpr unsigned tile_words = 128;

template <bool IsBroken>
__global__ void add_one(int* words) {
  __shared__ alignas(16) int tile[tile_words];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier arrived;
  if (threadIdx.x == 0) {
    init(&arrived, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  int* const mine = words + blockIdx.x * tile_words;
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, mine, sizeof tile,
                       cuda::device::barrier_native_handle(arrived));
    token = cuda::device::barrier_arrive_tx(arrived, 1, sizeof tile);
  } else {
    token = arrived.arrive();
  }
  if (!IsBroken) arrived.wait(std::move(token));
  tile[threadIdx.x] += 1;  // reported
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, mine, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

int main(int argc, char**) {
  constexpr unsigned blocks = 4;
  int words[blocks * tile_words] = {};
  int* device = nullptr;
  cudaMalloc(&device, sizeof words);
  cudaMemset(device, 0, sizeof words);
  if (argc > 1)
    add_one<true><<<blocks, tile_words>>>(device);
  else
    add_one<false><<<blocks, tile_words>>>(device);
  cudaMemcpy(words, device, sizeof words, cudaMemcpyDeviceToHost);
  for (const int each : words)
    if (each != 1) return 1;
  return 0;
}
