// SPDX-License-Identifier: Apache-2.0
// What programs compiled by nvcc pass to the CUDA runtime, for CUDA 12 and 13. The names are
// CUDA's; what is not used here has no name.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// The codes that this runtime returns.
enum cudaError_t : int {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPitchValue = 12,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorInvalidDevice = 101,
  cudaErrorHostMemoryAlreadyRegistered = 712,
  cudaErrorHostMemoryNotRegistered = 713,
  cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorInvalidClusterSize = 912,
};

/// The values of cudaMemcpyKind.
constexpr int cudaMemcpyHostToHost = 0;
constexpr int cudaMemcpyHostToDevice = 1;
constexpr int cudaMemcpyDeviceToHost = 2;
constexpr int cudaMemcpyDeviceToDevice = 3;
constexpr int cudaMemcpyDefault = 4;

struct dim3 {
  unsigned x, y, z;
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaKernel_t = struct CUkern_st*;

union cudaLaunchAttributeValue {
  unsigned numbers[16];
  int cooperative;
  int programmaticStreamSerializationAllowed;
};
struct cudaLaunchAttribute {
  int id;
  int unused;
  cudaLaunchAttributeValue val;
};
constexpr int cudaLaunchAttributeCooperative = 2;
constexpr int cudaLaunchAttributeClusterDimension = 4;
constexpr int cudaLaunchAttributeProgrammaticStreamSerialization = 6;

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};

struct cudaHostNodeParams {
  void (*fn)(void*);
  void* userData;
};

/// Elements of 1, 2 or 4 bytes.
struct cudaMemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value;
  unsigned elementSize;
  std::size_t width;  ///< elements
  std::size_t height;
};

struct cudaExtent {
  std::size_t width, height, depth;  ///< bytes, rows, slices
};
struct cudaPos {
  std::size_t x, y, z;
};
/// Slices of ysize rows.
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
  void* srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  void* dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  int kind;
};

struct cudaGraphEdgeData {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
};
constexpr unsigned char cudaGraphDependencyTypeProgrammatic = 1;

/// CUDA 13 has more, which is reserved.
struct cudaPointerAttributes {
  int type;
  int device;
  void* devicePointer;
  void* hostPointer;
};
constexpr int cudaMemoryTypeUnregistered = 0;
constexpr int cudaMemoryTypeHost = 1;
constexpr int cudaMemoryTypeDevice = 2;
constexpr int cudaMemoryTypeManaged = 3;

constexpr int cudaFuncAttributeMaxDynamicSharedMemorySize = 8;
constexpr int cudaFuncAttributeNonPortableClusterSizeAllowed = 14;

struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
  std::size_t constSizeBytes;
  std::size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int others[23];
};

}  // extern "C"
