// Advice on where memory should be, and the profiler: nothing of the executor depends on them. The
// arguments differ between CUDA 12 and 13, and are not looked at.
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
cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}

}  // extern "C"
