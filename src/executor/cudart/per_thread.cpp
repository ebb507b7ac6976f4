// SPDX-License-Identifier: Apache-2.0
#include <cudart/graphs.hpp>
#include <cudart/per_thread.hpp>

extern "C" cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);

namespace cudart {

namespace {

/// Null: no such call.
thread_local const void* calls_from = nullptr;

cudaStream_t own_stream() {
  thread_local const cudaStream_t own = [] {
    cudaStream_t made = nullptr;
    cudaStreamCreateWithFlags(&made, 0);
    return made;
  }();
  return own;
}

}  // namespace

per_thread_call::per_thread_call(const void* from) {
  calls_from = from;
}
per_thread_call::~per_thread_call() {
  calls_from = nullptr;
}

cudaStream_t meant(cudaStream_t stream) {
  const auto named = reinterpret_cast<std::uintptr_t>(stream);
  constexpr std::uintptr_t per_thread = 2;
  const bool is_own = named == per_thread || (named == 0 && calls_from != nullptr);
  return is_own ? own_stream() : stream;
}

const void* place_of_call(const void* returns_to) {
  return calls_from == nullptr ? returns_to : calls_from;
}

}  // namespace cudart

using cudaGraphExec_t = struct CUgraphExec_st*;
using void_function = void (*)(void*);
using stream_function = void (*)(cudaStream_t, cudaError_t, void*);

// nvcc gives calls these names instead; the functions are the same.
#define FINESYNC_PER_THREAD(function, suffix, parameters, arguments) \
  cudaError_t function parameters;                                   \
  cudaError_t function##suffix parameters {                          \
    const cudart::per_thread_call now(__builtin_return_address(0));  \
    return function arguments;                                       \
  }

extern "C" {

FINESYNC_PER_THREAD(cudaMemcpy, _ptds, (void* to, const void* from, std::size_t bytes, int kind),
                    (to, from, bytes, kind))
FINESYNC_PER_THREAD(cudaMemcpyAsync, _ptsz,
                    (void* to, const void* from, std::size_t bytes, int kind, cudaStream_t stream),
                    (to, from, bytes, kind, stream))
FINESYNC_PER_THREAD(cudaMemcpy2D, _ptds,
                    (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, int kind),
                    (to, to_pitch, from, from_pitch, width, rows, kind))
FINESYNC_PER_THREAD(cudaMemcpy2DAsync, _ptsz,
                    (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                     std::size_t width, std::size_t rows, int kind, cudaStream_t stream),
                    (to, to_pitch, from, from_pitch, width, rows, kind, stream))
FINESYNC_PER_THREAD(cudaMemset, _ptds, (void* memory, int value, std::size_t bytes),
                    (memory, value, bytes))
FINESYNC_PER_THREAD(cudaMemsetAsync, _ptsz,
                    (void* memory, int value, std::size_t bytes, cudaStream_t stream),
                    (memory, value, bytes, stream))
FINESYNC_PER_THREAD(cudaMemset2D, _ptds,
                    (void* memory, std::size_t pitch, int value, std::size_t width,
                     std::size_t rows),
                    (memory, pitch, value, width, rows))
FINESYNC_PER_THREAD(cudaMemset2DAsync, _ptsz,
                    (void* memory, std::size_t pitch, int value, std::size_t width,
                     std::size_t rows, cudaStream_t stream),
                    (memory, pitch, value, width, rows, stream))
FINESYNC_PER_THREAD(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms* what), (what))
FINESYNC_PER_THREAD(cudaMemcpy3DAsync, _ptsz, (const cudaMemcpy3DParms* what, cudaStream_t stream),
                    (what, stream))
FINESYNC_PER_THREAD(cudaMemset3D, _ptds, (cudaPitchedPtr memory, int value, cudaExtent all),
                    (memory, value, all))
FINESYNC_PER_THREAD(cudaMemset3DAsync, _ptsz,
                    (cudaPitchedPtr memory, int value, cudaExtent all, cudaStream_t stream),
                    (memory, value, all, stream))
FINESYNC_PER_THREAD(cudaMemcpyToSymbol, _ptds,
                    (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                     int kind),
                    (symbol, from, bytes, offset, kind))
FINESYNC_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz,
                    (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                     int kind, cudaStream_t stream),
                    (symbol, from, bytes, offset, kind, stream))
FINESYNC_PER_THREAD(cudaMemcpyFromSymbol, _ptds,
                    (void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind),
                    (to, symbol, bytes, offset, kind))
FINESYNC_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz,
                    (void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind,
                     cudaStream_t stream),
                    (to, symbol, bytes, offset, kind, stream))
FINESYNC_PER_THREAD(cudaMallocAsync, _ptsz, (void** memory, std::size_t bytes, cudaStream_t stream),
                    (memory, bytes, stream))
FINESYNC_PER_THREAD(cudaMallocFromPoolAsync, _ptsz,
                    (void** memory, std::size_t bytes, void* pool, cudaStream_t stream),
                    (memory, bytes, pool, stream))
FINESYNC_PER_THREAD(cudaFreeAsync, _ptsz, (void* memory, cudaStream_t stream), (memory, stream))
FINESYNC_PER_THREAD(cudaLaunchKernel, _ptsz,
                    (const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                     std::size_t shared_bytes, cudaStream_t stream),
                    (kernel, blocks, threads, arguments, shared_bytes, stream))
FINESYNC_PER_THREAD(__cudaLaunchKernel, _ptsz,
                    (cudaKernel_t kernel, dim3 blocks, dim3 threads, void** arguments,
                     std::size_t shared_bytes, cudaStream_t stream),
                    (kernel, blocks, threads, arguments, shared_bytes, stream))
FINESYNC_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz,
                    (const void* kernel, dim3 blocks, dim3 threads, void** arguments,
                     std::size_t shared_bytes, cudaStream_t stream),
                    (kernel, blocks, threads, arguments, shared_bytes, stream))
FINESYNC_PER_THREAD(cudaLaunchKernelExC, _ptsz,
                    (const cudaLaunchConfig_t* what, const void* kernel, void** arguments),
                    (what, kernel, arguments))
FINESYNC_PER_THREAD(cudaLaunchHostFunc, _ptsz,
                    (cudaStream_t stream, void_function function, void* data),
                    (stream, function, data))
FINESYNC_PER_THREAD(cudaStreamAddCallback, _ptsz,
                    (cudaStream_t stream, stream_function function, void* data, unsigned flags),
                    (stream, function, data, flags))
FINESYNC_PER_THREAD(cudaGraphLaunch, _ptsz, (cudaGraphExec_t graph, cudaStream_t stream),
                    (graph, stream))
FINESYNC_PER_THREAD(cudaGraphUpload, _ptsz, (cudaGraphExec_t graph, cudaStream_t stream),
                    (graph, stream))
FINESYNC_PER_THREAD(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, int mode), (stream, mode))
FINESYNC_PER_THREAD(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t* graph),
                    (stream, graph))
FINESYNC_PER_THREAD(cudaStreamIsCapturing, _ptsz, (cudaStream_t stream, int* status),
                    (stream, status))
FINESYNC_PER_THREAD(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int* priority),
                    (stream, priority))
FINESYNC_PER_THREAD(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream))
FINESYNC_PER_THREAD(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream))
FINESYNC_PER_THREAD(cudaStreamWaitEvent, _ptsz,
                    (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                    (stream, event, flags))
FINESYNC_PER_THREAD(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream),
                    (event, stream))

// Their arguments are not looked at.
cudaError_t cudaMemPrefetchAsync();
cudaError_t cudaMemPrefetchAsync_ptsz() {
  return cudaMemPrefetchAsync();
}
cudaError_t cudaMemPrefetchAsync_v2_ptsz() {
  return cudaMemPrefetchAsync();
}
cudaError_t cudaStreamAttachMemAsync_ptsz() {
  return cudaMemPrefetchAsync();
}

}  // extern "C"
