// The version of CUDA: all that differs between the libraries.
#include <cudart/abi.hpp>

extern "C" {

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = FINESYNC_CUDART_VERSION * 1000;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}

}  // extern "C"
