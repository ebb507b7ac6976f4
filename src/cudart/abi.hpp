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
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorInvalidDevice = 101,
  cudaErrorLaunchFailure = 719,
  cudaErrorCooperativeLaunchTooLarge = 720,
};

struct dim3 {
  unsigned x, y, z;
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaKernel_t = struct CUkern_st*;

struct cudaLaunchAttribute {
  int id;
  int unused;
  union {
    unsigned numbers[16];
    int cooperative;
    int programmaticStreamSerializationAllowed;
  } val;
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
