// What the runtime says of its device, of kernels and of memory, and its errors.
#include <tests/executor/cudart/calls.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>

// Declared as far as they are called here.
extern "C" cudaError_t cudaMemAdvise_v2(), cudaMemPrefetchAsync_v2(), cudaStreamAttachMemAsync(),
    cudaDeviceSetMemPool(), cudaMemPoolDestroy(), cudaMemPoolSetAttribute(), cudaMemPoolSetAccess(),
    cudaMemPoolTrimTo(), cudaProfilerStart(), cudaProfilerStop(), cudaDeviceReset(),
    cudaSetDeviceFlags(unsigned), cudaDeviceSetLimit(int, std::size_t),
    cudaDeviceSetCacheConfig(int), cudaFuncSetCacheConfig(const void*, int),
    cudaThreadExchangeStreamCaptureMode(int*), cudaGraphUpload(cudaGraphExec_t, cudaStream_t),
    cudaDeviceGetDefaultMemPool(void**, int), cudaDeviceGetMemPool(void**, int),
    cudaMemPoolCreate(void**, const void*),
    cudaMallocFromPoolAsync(void**, std::size_t, void*, cudaStream_t);

namespace cudart_test::device_test {

namespace {

/// The modelled GPU's, in both layouts of cudaDeviceProp and as an attribute; -1: none there.
struct property {
  int attribute, in_12, in_13;
  int value;
};
constexpr property properties[] = {
    {1, 320, 320, 1024},      {2, 324, 324, 1024},  {3, 328, 328, 1024},     {4, 332, 332, 64},
    {5, 336, 336, INT32_MAX}, {6, 340, 340, 65535}, {7, 344, 344, 65535},    {8, 296, 296, 49152},
    {9, 352, 352, 65536},     {10, 308, 308, 32},   {12, 304, 304, 65536},   {16, 388, 384, 4},
    {19, 400, 392, 1},        {31, 576, 560, 1},    {38, 616, 596, 2 << 20}, {39, 624, 604, 1024},
    {41, 604, 588, 1},        {75, 360, 360, 9},    {76, 364, 364, 0},       {81, 640, 624, 233472},
    {82, 648, 632, 65536},    {83, 652, 636, 1},    {89, 676, 656, 1},       {95, 688, 668, 1},
    {97, 696, 672, 232448},   {106, 712, 688, 16},  {111, 720, 696, 1024},   {120, 772, 748, 1},
    {13, -1, -1, 1000000},    {9999, -1, -1, 0}};

TEST_F(cuda_calls, describe_one_device) {
  std::array<byte, 1032> in_12{}, in_13{};
  in_12.fill(0xee);
  in_13.fill(0xee);
  ASSERT_EQ(cudaGetDeviceProperties_v2(in_12.data(), 0), cudaSuccess);
  ASSERT_EQ(cudaGetDeviceProperties(in_13.data(), 0), cudaSuccess);
  EXPECT_EQ(in_12.back(), 0);
  EXPECT_EQ(in_13[1008], 0xee);  // behind the properties
  EXPECT_STREQ(reinterpret_cast<const char*>(in_13.data()), "finesync host executor (compact)");
  const auto at = [](const auto& from, int offset) {
    int value = 0;
    std::memcpy(&value, &from.at(static_cast<std::size_t>(offset)), sizeof value);
    return value;
  };
  for (const property& each : properties) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, each.attribute, 0), cudaSuccess);
    EXPECT_EQ(value, each.value) << each.attribute;
    if (each.in_12 < 0) continue;
    EXPECT_EQ(at(in_12, each.in_12), each.value) << each.attribute;
    EXPECT_EQ(at(in_13, each.in_13), each.value) << each.attribute;
  }
  EXPECT_EQ(at(in_13, 292), 2);  // totalGlobalMem is 8 GiB
  EXPECT_EQ(at(in_12, 292), 2);

  int count = 0, current = -1, can = -1, least = -1, greatest = -1, priority = -1;
  std::size_t free = 0, total = 0;
  char bus[16] = {};
  const std::vector statuses{cudaGetDeviceCount(&count),
                             cudaGetDevice(&current),
                             cudaDeviceCanAccessPeer(&can, 0, 1),
                             cudaDeviceGetPCIBusId(bus, sizeof bus, 0),
                             cudaDeviceGetStreamPriorityRange(&least, &greatest),
                             cudaStreamGetPriority(nullptr, &priority),
                             cudaMemGetInfo(&free, &total)};
  EXPECT_EQ(statuses, std::vector(statuses.size(), cudaSuccess));
  EXPECT_EQ((std::vector{count, current, can, least, greatest, priority}),
            (std::vector{1, 0, 0, 0, 0, 0}));
  EXPECT_STREQ(bus, "0000:00:00.0");
  EXPECT_EQ(total, std::size_t{8} << 30);
  EXPECT_LE(free, total);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(cuda_calls, take_what_changes_nothing) {
  void *first = nullptr, *second = nullptr, *third = nullptr;
  int mode = 0;
  const std::vector statuses{cudaMemAdvise(),
                             cudaMemAdvise_v2(),
                             cudaMemPrefetchAsync(),
                             cudaMemPrefetchAsync_v2(),
                             cudaStreamAttachMemAsync(),
                             cudaDeviceSetMemPool(),
                             cudaMemPoolDestroy(),
                             cudaMemPoolSetAttribute(),
                             cudaMemPoolSetAccess(),
                             cudaMemPoolTrimTo(),
                             cudaProfilerStart(),
                             cudaProfilerStop(),
                             cudaSetDeviceFlags(0),
                             cudaDeviceSetLimit(0, 1),
                             cudaDeviceSetCacheConfig(0),
                             cudaFuncSetAttribute(&shape_kernel, 8, 1024),
                             cudaFuncSetCacheConfig(&shape_kernel, 0),
                             cudaThreadExchangeStreamCaptureMode(&mode),
                             cudaGraphUpload(nullptr, nullptr),
                             cudaDeviceGetDefaultMemPool(&first, 0),
                             cudaDeviceGetMemPool(&second, 0),
                             cudaMemPoolCreate(&third, nullptr)};
  EXPECT_EQ(statuses, std::vector(statuses.size(), cudaSuccess));
  EXPECT_NE(first, nullptr);
  EXPECT_EQ((std::vector{second, third}), std::vector(2, first));
}

TEST_F(cuda_calls, free_all_memory_at_a_reset) {
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  for (void* const each : {m.to, m.from}) EXPECT_EQ(cudaFree(each), cudaErrorInvalidValue);
  cudaGetLastError();
}

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  return free;
}

TEST_F(cuda_calls, tell_how_much_memory_is_left) {
  const std::size_t before = free_bytes();
  EXPECT_GT(before, std::size_t{7} << 30);
  const auto nine_tenths = before / 10 * 9;
  void *most = nullptr, *next = nullptr, *of_host = nullptr;
  ASSERT_EQ(cudaMalloc(&most, nine_tenths), cudaSuccess);
  const std::size_t after = free_bytes();
  EXPECT_LE(after, before - nine_tenths);
  EXPECT_GT(after, before - nine_tenths - 4096);
  for (const std::size_t each : {nine_tenths, after + 1, SIZE_MAX}) {
    EXPECT_EQ(cudaMalloc(&next, each), cudaErrorMemoryAllocation) << each;
    EXPECT_EQ(cudaMallocAsync(&next, each, nullptr), cudaErrorMemoryAllocation) << each;
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  }
  ASSERT_EQ(cudaMallocHost(&of_host, 4096), cudaSuccess);
  EXPECT_EQ(free_bytes(), after);  // not the device's
  ASSERT_EQ(cudaMallocAsync(&next, after, nullptr), cudaSuccess);
  EXPECT_EQ(free_bytes(), 0u);
  EXPECT_EQ(cudaFreeAsync(next, nullptr), cudaSuccess);
  EXPECT_EQ(free_bytes(), after);
  EXPECT_EQ(cudaFree(most), cudaSuccess);
  EXPECT_EQ(free_bytes(), before);
  for (int i = 0; i < 9; ++i) {  // freed memory does not count, whether it is given again or not
    ASSERT_EQ(cudaMalloc(&most, before), cudaSuccess) << i;
    EXPECT_EQ(cudaFree(most), cudaSuccess);
  }
  EXPECT_EQ(cudaFreeHost(of_host), cudaSuccess);
}

TEST_F(cuda_calls, count_their_allocations_in_words) {
  const std::map<int, std::string> words{{1, "1st"},   {2, "2nd"},   {3, "3rd"},    {4, "4th"},
                                         {11, "11th"}, {12, "12th"}, {13, "13th"},  {21, "21st"},
                                         {22, "22nd"}, {43, "43rd"}, {111, "111th"}};
  for (int call = 1; call <= 111; ++call) {
    void* memory = nullptr;
    std::string place;
    ASSERT_EQ(cudaMallocFromPoolAsync(&memory, 4, nullptr, nullptr), cudaSuccess);
    cudart::on_device([&] { place = simt::global_memory().place(memory); });
    if (words.contains(call)) {
      EXPECT_EQ(place, words.at(call) + " cudaMallocFromPoolAsync, byte 0 of 4");
    }
    cudaFree(memory);
  }
}

TEST_F(cuda_calls, know_how_many_blocks_fit) {
  cudaFuncAttributes about{};
  EXPECT_EQ(cudaFuncGetAttributes(&about, &about), cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
  ASSERT_EQ(cudaFuncGetAttributes(&about, &shape_kernel), cudaSuccess);
  EXPECT_EQ(about.sharedSizeBytes, 4096u);
  EXPECT_EQ(about.maxThreadsPerBlock, 1024);
  EXPECT_EQ(about.maxDynamicSharedSizeBytes, 48 * 1024 - 4096);
  constexpr int most = 227 * 1024 - 4096;
  EXPECT_EQ(cudaFuncSetAttribute(&about, 8, most), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaFuncSetAttribute(&shape_kernel, 8, most + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&shape_kernel, 8, -1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&shape_kernel, 8, most), cudaSuccess);
  ASSERT_EQ(cudaFuncGetAttributes(&about, &shape_kernel), cudaSuccess);
  EXPECT_EQ(about.maxDynamicSharedSizeBytes, most);
  const auto blocks = [](int threads, std::size_t shared) {
    int found = -1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, &shape_kernel, threads, shared);
    return found;
  };
  EXPECT_EQ(blocks(32, 0), 16);
  EXPECT_EQ(blocks(300, 0), 3);
  EXPECT_EQ(blocks(32, 109 * 1024), 2);  // with 4 KiB of its own and one reserved
  EXPECT_EQ(blocks(32, 109 * 1024 + 1), 1);
  EXPECT_EQ(blocks(32, 224 * 1024), 0);
  cudaLaunchAttribute cluster{cudaLaunchAttributeClusterDimension, 0, {{3, 1, 1}}};
  const cudaLaunchConfig_t how{{12, 1, 1}, {10, 10, 3}, 0, nullptr, &cluster, 1};
  int clusters = -1;
  ASSERT_EQ(cudaOccupancyMaxActiveClusters(&clusters, &shape_kernel, &how), cudaSuccess);
  EXPECT_EQ(clusters, 4 * 3 / 3);
}

TEST_F(cuda_calls, know_their_memory) {
  void *pitched = nullptr, *managed = nullptr, *host = nullptr, *device = nullptr,
       *symbol = nullptr;
  std::size_t pitch = 0, size = 0;
  ASSERT_EQ(cudaMallocPitch(&pitched, &pitch, 513, 3), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 8, 1), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&host, 8, 0), cudaSuccess);
  ASSERT_EQ(cudaHostGetDevicePointer(&device, host, 0), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolAddress(&symbol, &table_variable), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolSize(&size, &table_variable), cudaSuccess);
  void* pointer = nullptr;
  ASSERT_EQ(cudaMemcpyFromSymbol(&pointer, &pointer_variable, 8, 0, 2), cudaSuccess);
  EXPECT_EQ(pointer, static_cast<byte*>(symbol) + 4);
  EXPECT_EQ(pitch, 1024u);
  EXPECT_EQ(size, bytes);
  EXPECT_EQ(device, host);
  EXPECT_EQ(cudaGetSymbolAddress(&device, &size), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetSymbolAddress(&device, &external_variable), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetSymbolSize(&size, &size), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(&size, &size, 1, 0, 1), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyFromSymbol(&size, &size, 1, 0, 2), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMalloc(nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc(&device, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  cudaGetLastError();
  struct {
    const char* what;
    void* at;
    std::ptrdiff_t last;
    int type;
  } const places[] = {{"device", m.to, bytes - 1, cudaMemoryTypeDevice},
                      {"pitched", pitched, 3 * 1024 - 1, cudaMemoryTypeDevice},
                      {"managed", managed, 7, cudaMemoryTypeManaged},
                      {"host", host, 7, cudaMemoryTypeHost},
                      {"variable", symbol, bytes - 1, cudaMemoryTypeDevice},
                      {"managed variable", shared_table, 15, cudaMemoryTypeManaged},
                      {"stack", &size, 7, cudaMemoryTypeUnregistered}};
  for (const auto& each : places) {
    for (const std::ptrdiff_t offset : {std::ptrdiff_t{0}, each.last}) {
      const void* const at = static_cast<byte*>(each.at) + offset;
      cudaPointerAttributes about{-1, -2, nullptr, nullptr};
      ASSERT_EQ(cudaPointerGetAttributes(&about, at), cudaSuccess);
      const bool is_known = each.type != cudaMemoryTypeUnregistered;
      EXPECT_EQ(about.type, each.type) << each.what << offset;
      EXPECT_EQ(about.device, is_known ? 0 : -1) << each.what;
      EXPECT_EQ(about.devicePointer, is_known ? at : nullptr) << each.what;
      EXPECT_EQ(about.hostPointer, each.type == cudaMemoryTypeDevice ? nullptr : at) << each.what;
    }
  }
  EXPECT_EQ(std::count(static_cast<byte*>(shared_table), static_cast<byte*>(shared_table) + 16, 0),
            16);
  bool holds_all = false;
  cudart::on_device([&] {
    holds_all = simt::global_memory().holds(static_cast<byte*>(pitched) + 3 * 1024 - 4, 4);
  });
  EXPECT_TRUE(holds_all);
  cudaPointerAttributes behind{};
  for (void* const each : {managed, host}) {
    cudaPointerGetAttributes(&behind, static_cast<byte*>(each) + 8);
    EXPECT_EQ(behind.type, cudaMemoryTypeDevice);  // of no allocation
  }
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  cudaPointerGetAttributes(&behind, managed);
  EXPECT_EQ(behind.type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  EXPECT_EQ(cudaFree(pitched), cudaSuccess);
}

TEST(cuda_errors, have_names_and_texts_of_their_own) {
  std::set<std::string> names, texts;
  const cudaError_t all[] = {cudaSuccess,
                             cudaErrorInvalidValue,
                             cudaErrorMemoryAllocation,
                             cudaErrorInvalidConfiguration,
                             cudaErrorInvalidPitchValue,
                             cudaErrorInvalidSymbol,
                             cudaErrorInvalidMemcpyDirection,
                             cudaErrorInvalidDeviceFunction,
                             cudaErrorInvalidDevice,
                             cudaErrorLaunchFailure,
                             cudaErrorCooperativeLaunchTooLarge,
                             cudaErrorInvalidClusterSize,
                             static_cast<cudaError_t>(5)};
  for (const cudaError_t each : all) {
    names.insert(cudaGetErrorName(each));
    texts.insert(cudaGetErrorString(each));
  }
  EXPECT_EQ(names.size(), std::size(all));
  EXPECT_EQ(texts.size(), std::size(all));
}

}  // namespace

}  // namespace cudart_test::device_test
