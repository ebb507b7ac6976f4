// Streams and events. All work is done when the call that asks for it returns, so that everything
// is in the order in which the program asks.
#include <cudart/device.hpp>

#include <chrono>

using clock_of_events = std::chrono::steady_clock;

struct CUstream_st {};
struct CUevent_st {
  clock_of_events::time_point recorded;
};

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudart::state_of_device();
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return cudart::state_of_device();
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->recorded = clock_of_events::now();
  return cudart::state_of_device();
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudart::state_of_device();
}
cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudart::state_of_device();
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  *ms = std::chrono::duration<float, std::milli>(to->recorded - from->recorded).count();
  return cudaSuccess;
}

}  // extern "C"
