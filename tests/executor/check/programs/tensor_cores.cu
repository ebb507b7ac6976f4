// Tiles that one warp stages are multiplied by another: by nvcuda::wmma, then by ldmatrix and mma.
// Broken: nothing orders the staging and the second product.
#include <cstdint>

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int side = 16;

__device__ void multiply_by_wmma(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, side, side, side, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, side, side, side, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, side, side, side, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  wmma::load_matrix_sync(left, a, side);
  wmma::load_matrix_sync(right, b, side);
  wmma::mma_sync(sums, left, right, sums);
  wmma::store_matrix_sync(c, sums, side, wmma::mem_row_major);
}

/// The left half of the product: 8 columns.
__device__ void multiply_by_mma(const half* a, const half* b, float* c) {
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t left[4], right[2];
  float sums[4] = {};
  const auto row_of = [&](const half* matrix, unsigned rows) {
    const half* const row = matrix + lane % rows * side + lane / rows % 2 * 8;
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  };
  const std::uint32_t row_of_a = row_of(a, 16), row_of_b = row_of(b, 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(left[0]), "=r"(left[1]), "=r"(left[2]), "=r"(left[3])
               : "r"(row_of_a)  // reported
               : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(right[0]), "=r"(right[1])
               : "r"(row_of_b)
               : "memory");
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  for (unsigned i = 0; i < 4; ++i)
    c[(lane / 4 + i / 2 * 8) * side + lane % 4 * 2 + i % 2] = sums[i];
}

__global__ void products(const half* a, const half* b, float* by_wmma, float* by_mma,
                         bool is_broken) {
  __shared__ alignas(32) half tile_a[side * side];
  __shared__ alignas(32) half tile_b[side * side];
  for (int round = 0; round < 2; ++round) {
    const bool by_first = round == 0;
    for (int i = threadIdx.x % 32; threadIdx.x / 32 == 1 && i < side * side; i += 32) {
      tile_a[i] = a[round * side * side + i];
      tile_b[i] = b[i];
    }
    if (by_first || !is_broken) __syncthreads();
    if (threadIdx.x / 32 == 0) {
      if (by_first)
        multiply_by_wmma(tile_a, tile_b, by_wmma);
      else
        multiply_by_mma(tile_a, tile_b, by_mma);
    }
    __syncthreads();
  }
}

template <class T>
T* on_device(int count) {
  T* all = nullptr;
  cudaMallocManaged(&all, count * sizeof(T));
  return all;
}

int main(int argc, char**) {
  constexpr int elements = side * side;
  half *a = on_device<half>(2 * elements), *b = on_device<half>(elements);
  float *by_wmma = on_device<float>(elements), *by_mma = on_device<float>(elements);
  for (int i = 0; i < 2 * elements; ++i) a[i] = __float2half(i % 7 - 3.0f);
  for (int i = 0; i < elements; ++i) b[i] = __float2half(i % 5 - 2.0f);
  products<<<1, 64>>>(a, b, by_wmma, by_mma, argc > 1);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      float first = 0, second = 0;
      for (int k = 0; k < side; ++k) {
        const float other = __half2float(b[column * side + k]);
        first += __half2float(a[row * side + k]) * other;
        second += __half2float(a[elements + row * side + k]) * other;
      }
      wrong += by_wmma[row * side + column] != first;
      wrong += column < 8 && by_mma[row * side + column] != second;
    }
  }
  return wrong == 0 ? 0 : 1;
}
