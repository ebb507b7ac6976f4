// Memory of the program that kernels reach, volumes, child graphs, and what the device tells of
// its limits.
#include <tests/executor/cudart/calls.hpp>

extern "C" {
cudaError_t cudaHostRegister(void*, std::size_t, unsigned);
cudaError_t cudaHostUnregister(void*);
cudaError_t cudaMalloc3D(cudaPitchedPtr*, cudaExtent);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms*);
cudaError_t cudaMemset3D(cudaPitchedPtr, int, cudaExtent);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*,
                                   std::size_t, const cudaMemcpy3DParms*);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*,
                                           std::size_t, const void*, const void*, std::size_t,
                                           std::size_t, int);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*,
                                       std::size_t, cudaGraph_t);
cudaError_t cudaDeviceGetLimit(std::size_t*, int);
cudaError_t cudaDeviceSetLimit(int, std::size_t);
cudaError_t cudaMemPoolGetAttribute(void*, int, void*);
}

namespace cudart_test {

namespace {

/// Kernel `shape` of calls.hpp writes 8 words there.
std::string report_of_shape(void* out) {
  testing::internal::CaptureStderr();
  launch(&shape_kernel, 3, 1, out);
  return testing::internal::GetCapturedStderr();
}

}  // namespace

TEST_F(cuda_calls, map_memory_that_the_program_registers) {
  alignas(4096) static std::array<std::uint32_t, 5000> words;  // more than four pages
  for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = i;
  std::uint32_t* const first = &words[7];
  const std::size_t size = 4900 * sizeof(std::uint32_t);
  EXPECT_EQ(cudaHostUnregister(first), cudaErrorHostMemoryNotRegistered);
  ASSERT_EQ(cudaHostRegister(first, size, 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(first + 9, size, 0), cudaErrorHostMemoryAlreadyRegistered);
  // A neighbour in the same page.
  ASSERT_EQ(cudaHostRegister(&words[4908], 40, 0), cudaSuccess);
  for (std::uint32_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], i);

  void* device = nullptr;
  cudaHostGetDevicePointer(&device, first + 10, 0);
  EXPECT_NE(device, first + 10);
  cudaPointerAttributes about{};
  cudaPointerGetAttributes(&about, first + 10);
  EXPECT_EQ(about.type, cudaMemoryTypeHost);
  EXPECT_EQ(about.devicePointer, device);
  EXPECT_EQ(report_of_shape(device), "");
  EXPECT_EQ(first[10], 3u);
  EXPECT_EQ(first[9], 16u);
  EXPECT_EQ(report_of_shape(first + 4000), "");  // the same by the host's address
  EXPECT_EQ(first[4000], 3u);
  cudaHostGetDevicePointer(&device, &words[4910], 0);
  EXPECT_EQ(report_of_shape(device), "");
  EXPECT_EQ(words[4910], 3u);
  EXPECT_EQ(report_of_shape(&words[4890]), "");  // in that page, but of the first registration
  EXPECT_EQ(words[4890], 3u);
  EXPECT_EQ(words[4909], 4909u);

  EXPECT_EQ(cudaHostUnregister(&words[4908]), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(first), cudaSuccess);
  first[10] = 77;
  EXPECT_EQ(first[4000], 3u);
}

TEST_F(cuda_calls, have_volumes) {
  cudaPitchedPtr volume{};
  const cudaExtent all{10, 3, 2};
  ASSERT_EQ(cudaMalloc3D(&volume, all), cudaSuccess);
  EXPECT_GE(volume.pitch, 10u);
  EXPECT_EQ(cudaMemset3D(volume, 9, all), cudaSuccess);
  std::array<byte, 60> host{}, back{};
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<byte>(i);
  // Two columns of the second and third row of the second slice.
  cudaMemcpy3DParms part{};
  part.srcPtr = {host.data(), 10, 10, 3};
  part.dstPtr = volume;
  part.srcPos = part.dstPos = {4, 1, 1};
  part.extent = {2, 2, 1};
  part.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&part), cudaSuccess);
  const cudaMemcpy3DParms whole{
      nullptr, {}, volume, nullptr, {}, {back.data(), 10, 10, 3}, all, cudaMemcpyDeviceToHost};
  EXPECT_EQ(launch_graph(nullptr,
                         [&](auto* node, auto graph, auto* after) {
                           return cudaGraphAddMemcpyNode(node, graph, after, 1, &whole);
                         }),
            cudaSuccess);
  for (std::size_t i = 0; i < back.size(); ++i) {
    const bool is_part = i >= 40 && i % 10 >= 4 && i % 10 < 6;
    EXPECT_EQ(back[i], is_part ? i : 9) << i;
  }
  cudaFree(volume.ptr);
}

TEST_F(cuda_calls, add_children_and_symbols_to_graphs) {
  const std::array<byte, 4> given{1, 2, 3, 4};
  cudaGraph_t child = nullptr;
  cudaGraphNode_t node_of_child = nullptr;
  cudaGraphCreate(&child, 0);
  ASSERT_EQ(cudaGraphAddMemcpyNodeToSymbol(&node_of_child, child, nullptr, 0, &table_variable,
                                           given.data(), 4, 8, cudaMemcpyHostToDevice),
            cudaSuccess);
  m.table[8] = m.table[12] = 0;
  EXPECT_EQ(launch_graph(nullptr,
                         [&](auto* node, auto graph, auto* after) {
                           return cudaGraphAddChildGraphNode(node, graph, after, 1, child);
                         }),
            cudaSuccess);
  EXPECT_EQ(std::vector<byte>(m.table + 8, m.table + 13), (std::vector<byte>{1, 2, 3, 4, 0}));
}

TEST_F(cuda_calls, tell_limits_and_what_pools_use) {
  std::size_t buffer = 0;
  EXPECT_EQ(cudaDeviceGetLimit(&buffer, 1), cudaSuccess);
  EXPECT_EQ(buffer, 1u << 20);
  EXPECT_EQ(cudaDeviceSetLimit(1, 4096), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&buffer, 1), cudaSuccess);
  EXPECT_EQ(buffer, 4096u);
  EXPECT_EQ(cudaDeviceGetLimit(&buffer, 7), cudaErrorInvalidValue);
  std::uint64_t before = 0, after = 0, most = 0;
  constexpr int used_now = 7, used_most = 8;
  EXPECT_EQ(cudaMemPoolGetAttribute(nullptr, used_now, &before), cudaSuccess);
  void* more = nullptr;
  cudaMallocAsync(&more, 1 << 20, nullptr);
  cudaMemPoolGetAttribute(nullptr, used_now, &after);
  EXPECT_EQ(after - before, 1u << 20);
  cudaFreeAsync(more, nullptr);
  cudaMemPoolGetAttribute(nullptr, used_most, &most);
  EXPECT_GE(most, after);
}

}  // namespace cudart_test
