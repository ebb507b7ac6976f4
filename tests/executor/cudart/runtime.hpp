// The replacement of the CUDA runtime, as a program compiled by nvcc calls it: without CUDA's
// headers.
#pragma once

#include <cudart/abi.hpp>
#include <cudart/graphs.hpp>

#include <tests/executor/cudart/fat_binaries.hpp>

#include <array>
#include <string>
#include <string_view>

// Declared as in CUDA's headers.
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** binary);
void __cudaRegisterFunction(void** binary, const char* host, char* device, const char* name, int,
                            void*, void*, void*, void*, int*);
void __cudaRegisterVar(void** binary, char* host, char* device, const char* name, int,
                       std::size_t bytes, int, int);
void __cudaRegisterManagedVar(void** binary, void** host, char*, const char* name, int,
                              std::size_t bytes, int, int);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* about, const void* pointer);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, int direction);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int value, std::size_t width,
                         std::size_t rows);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data);
cudaError_t cudaMemAdvise();
cudaError_t cudaMemPrefetchAsync();
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, int direction);
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, int direction);
cudaError_t cudaLaunchKernel(const void* host, dim3 blocks, dim3 threads, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void* host, dim3 blocks, dim3 threads,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* what, const void* host, void** arguments);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host,
                                                          int threads, std::size_t shared_bytes);
cudaError_t cudaDeviceGetAttribute(int* value, int which, int device);
void cudaCreateTextureObject();
using cudaGraphExec_t = struct CUgraphExec_st*;
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long);
cudaError_t cudaMallocPitch(void**, std::size_t* pitch, std::size_t width, std::size_t rows);
cudaError_t cudaMallocManaged(void**, std::size_t bytes, unsigned flags);
cudaError_t cudaHostAlloc(void**, std::size_t bytes, unsigned flags);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, int, cudaStream_t);
cudaError_t cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t width,
                         std::size_t rows, int);
cudaError_t cudaMemcpy2DAsync(void*, std::size_t, const void*, std::size_t, std::size_t width,
                              std::size_t rows, int, cudaStream_t);
cudaError_t cudaMemset2DAsync(void*, std::size_t pitch, int value, std::size_t width,
                              std::size_t rows, cudaStream_t);
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void*, std::size_t bytes,
                                    std::size_t offset, int, cudaStream_t);
cudaError_t cudaMemcpyFromSymbolAsync(void*, const void* symbol, std::size_t bytes,
                                      std::size_t offset, int, cudaStream_t);
cudaError_t cudaGetSymbolAddress(void**, const void* symbol);
cudaError_t cudaGetSymbolSize(std::size_t*, const void* symbol);
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t* after,
                                  std::size_t count);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams*);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams*);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams*);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t* after,
                                     std::size_t count, void*, const void*, std::size_t, int);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t*, std::size_t*);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t, int, const cudaLaunchAttributeValue*);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t*, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaStreamIsCapturing(cudaStream_t, int*);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t*, unsigned flags, int priority);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamAddCallback(cudaStream_t, void (*)(cudaStream_t, cudaError_t, void*), void*,
                                  unsigned);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
cudaError_t cudaThreadSynchronize();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t);
cudaError_t cudaGetDeviceProperties(void*, int);
cudaError_t cudaGetDeviceProperties_v2(void*, int);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaDeviceCanAccessPeer(int*, int, int);
cudaError_t cudaDeviceGetPCIBusId(char*, int, int);
cudaError_t cudaDeviceGetStreamPriorityRange(int*, int*);
cudaError_t cudaStreamGetPriority(cudaStream_t, int*);
cudaError_t cudaMemGetInfo(std::size_t*, std::size_t*);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*);
cudaError_t cudaFuncSetAttribute(const void*, int, int);
cudaError_t cudaOccupancyMaxActiveClusters(int*, const void*, const cudaLaunchConfig_t*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*);
}

namespace cudart_test {

/// What nvcc's stubs pass: two numbers, and the address of the fat binary.
struct wrapper {
  int magic = 0x466243b1;
  int version = 1;
  const void* fat_binary = nullptr;
  const void* const* linked = nullptr;
};

/// A module of PTX, registered as a program does before main(). Lives until the end.
class registered_module {
 public:
  explicit registered_module(std::string_view ptx)
      : bytes_(*new binary(fat_binary({entry(ptx_kind, 90, ptx)}))), wrapper_(*new wrapper) {
    wrapper_.fat_binary = bytes_.data();
    handle_ = __cudaRegisterFatBinary(&wrapper_);
  }

  /// The address stands for the kernel in the program.
  void kernel(const void* host, const char* name) const {
    __cudaRegisterFunction(handle_, static_cast<const char*>(host), nullptr, name, -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
  }
  void variable(void* host, const char* name, std::size_t bytes) const {
    __cudaRegisterVar(handle_, static_cast<char*>(host), nullptr, name, 0, bytes, 0, 0);
  }
  void managed_variable(void** host, const char* name, std::size_t bytes) const {
    __cudaRegisterManagedVar(handle_, host, nullptr, name, 0, bytes, 0, 0);
  }

 private:
  binary& bytes_;
  wrapper& wrapper_;
  void** handle_;
};

/// All its threads store to one word, at line 7 of the file with this number.
inline std::string racing_kernel(const std::string& name, int file) {
  return "\n.visible .entry " + name + R"((.param .u64 out)
{
	.reg .b32 %r<2>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	.loc )" +
         std::to_string(file) + R"( 7 3
	st.global.u32 [%d1], %r1;
	ret;
}
)";
}

inline cudaStream_t new_stream(bool meets_default = false) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, meets_default ? 0 : 1);
  return stream;
}
inline cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  return event;
}

template <class... Arguments>
cudaError_t launch(const void* host, unsigned blocks, unsigned threads, Arguments... arguments) {
  std::array<void*, sizeof...(Arguments)> pointers{&arguments...};
  return cudaLaunchKernel(host, {blocks, 1, 1}, {threads, 1, 1}, pointers.data(), 0, nullptr);
}

}  // namespace cudart_test
