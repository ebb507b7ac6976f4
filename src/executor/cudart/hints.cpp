// SPDX-License-Identifier: Apache-2.0
// Advice on where memory should be, pools of memory, and the profiler: nothing of the executor
// depends on them. Arguments that differ between CUDA 12 and 13 are not looked at.
#include <cudart/device.hpp>

extern "C" {

cudaError_t cudaMemAdvise() {
  return cudaSuccess;
}
cudaError_t cudaMemAdvise_v2() {
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync() {
  return cudart::state_of_device();
}
cudaError_t cudaMemPrefetchAsync_v2() {
  return cudart::state_of_device();
}
cudaError_t cudaStreamAttachMemAsync() {
  return cudart::state_of_device();
}
cudaError_t cudaDeviceGetDefaultMemPool(void** pool, int) {
  static char the_pool = 0;
  *pool = &the_pool;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(void** pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaMemPoolCreate(void** pool, const void*) {
  return cudaDeviceGetDefaultMemPool(pool, 0);
}
cudaError_t cudaDeviceSetMemPool() {
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy() {
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess() {
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo() {
  return cudart::state_of_device();
}
cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}

}  // extern "C"
