// Streams and events. All work is done when the call that asks for it returns; what the program has
// ordered by them is kept for the search for overlaps.
#include <cudart/device.hpp>
#include <cudart/streams.hpp>

#include <chrono>

using clock_of_events = std::chrono::steady_clock;

struct CUstream_st {
  std::uint32_t number;
};
struct CUevent_st {
  clock_of_events::time_point recorded;
  cudart::stream_clock after;
};

namespace cudart {

overlap_detector& overlaps() {
  static auto& of_device = *new overlap_detector(tell);
  return of_device;
}

std::uint32_t number_of(cudaStream_t stream) {
  // cudaStreamLegacy and cudaStreamPerThread are small numbers.
  constexpr std::uintptr_t reserved = 16;
  return reinterpret_cast<std::uintptr_t>(stream) < reserved ? stream_order::default_stream
                                                             : stream->number;
}

namespace {

/// Changes the order of the device's operations, and says whether a launch has failed.
template <class Change>
cudaError_t ordered(const Change& change) {
  on_device([&] { change(overlaps().order); });
  return state_of_device();
}

}  // namespace

}  // namespace cudart

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  constexpr unsigned non_blocking = 1;
  *stream = new CUstream_st;
  return cudart::ordered([&](cudart::stream_order& order) {
    (*stream)->number = order.add((flags & non_blocking) == 0);
  });
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return cudart::ordered(
      [&](cudart::stream_order& order) { order.host_waits_for_stream(cudart::number_of(stream)); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);  // all is done, and it says so
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return cudart::ordered(
      [&](cudart::stream_order& order) { order.wait(cudart::number_of(stream), event->after); });
}
cudaError_t cudaDeviceSynchronize() {
  return cudart::ordered([](cudart::stream_order& order) { order.host_waits_for_all(); });
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
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->recorded = clock_of_events::now();
  return cudart::ordered([&](cudart::stream_order& order) {
    event->after = order.recorded(cudart::number_of(stream));
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return cudart::ordered([&](cudart::stream_order& order) { order.host_waits_for(event->after); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);  // all is done, and it says so
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  *ms = std::chrono::duration<float, std::milli>(to->recorded - from->recorded).count();
  return cudaSuccess;
}

}  // extern "C"
