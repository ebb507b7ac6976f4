// SPDX-License-Identifier: Apache-2.0
// Streams and events. All work is done when the call that asks for it returns; what the program has
// ordered by them is kept for the search for overlaps.
#include <cudart/device.hpp>
#include <cudart/graphs.hpp>
#include <cudart/host_accesses.hpp>
#include <cudart/per_thread.hpp>
#include <cudart/streams.hpp>

#include <chrono>
#include <set>

using clock_of_events = std::chrono::steady_clock;

struct CUstream_st {
  std::uint32_t number = 0;
  cudart::capture_point captured;
};
struct CUevent_st {
  clock_of_events::time_point recorded;
  cudart::stream_clock after;
  cudart::capture_point captured;
};

namespace cudart {

overlap_detector& overlaps() {
  static auto& of_device = *new overlap_detector(report);
  return of_device;
}

namespace {

/// cudaStreamLegacy and cudaStreamPerThread are small numbers.
bool is_default(cudaStream_t stream) {
  constexpr std::uintptr_t reserved = 16;
  return reinterpret_cast<std::uintptr_t>(stream) < reserved;
}

/// Streams that are captured into a graph: one began it, others joined by its events.
std::set<cudaStream_t>& capturing() {
  static auto& streams = *new std::set<cudaStream_t>;
  return streams;
}
/// The stream's next node comes after these, too.
void capture(cudaStream_t stream, const capture_point& from) {
  stream->captured.graph = from.graph;
  auto& after = stream->captured.after;
  after.insert(after.end(), from.after.begin(), from.after.end());
  capturing().insert(stream);
}

/// Changes the order of the device's operations, and says whether a launch has failed.
template <class Change>
cudaError_t ordered(const Change& change) {
  on_device([&] {
    change(overlaps().order);
    close_to_host();
  });
  return state_of_device();
}

}  // namespace

std::uint32_t number_of(cudaStream_t stream) {
  return is_default(stream) ? stream_order::default_stream : stream->number;
}

capture_point captured_in(cudaStream_t stream) {
  return is_default(stream) ? capture_point{} : stream->captured;
}

void recorded(cudaStream_t stream, const CUgraphNode_st* node) {
  stream->captured.after = {node};
}

/// All that came before in the stream is done.
work call_of(void (*function)(void*), void* data) {
  return [=](cudaStream_t) {
    const cudaError_t error = state_of_device();
    if (error == cudaSuccess) function(data);
    return error;
  };
}

cudaStream_t new_branch() {
  auto* const branch = new CUstream_st;
  on_device([&] { branch->number = overlaps().order.add(false); });
  return branch;
}

void forget_branch(cudaStream_t branch) {
  delete branch;
}

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
  cudart::capturing().erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t named) {
  const cudaStream_t stream = cudart::meant(named);
  return cudart::ordered(
      [&](cudart::stream_order& order) { order.host_waits_for_stream(cudart::number_of(stream)); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);  // all is done, and it says so
}
cudaError_t cudaStreamBeginCapture(cudaStream_t named, int) {
  const cudaStream_t stream = cudart::meant(named);
  if (cudart::is_default(stream)) return cudart::noted(cudaErrorInvalidValue);
  cudart::capture(stream, {new CUgraph_st});
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t named, cudaGraph_t* graph) {
  const cudaStream_t stream = cudart::meant(named);
  *graph = cudart::captured_in(stream).graph;
  if (*graph == nullptr) return cudart::noted(cudaErrorInvalidValue);
  for (const cudaStream_t each : cudart::capturing())
    if (each->captured.graph == *graph) each->captured = {};
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t named, int* status) {
  const cudaStream_t stream = cudart::meant(named);
  *status = cudart::captured_in(stream).graph != nullptr;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(int*) {
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t named, cudaEvent_t event, unsigned) {
  const cudaStream_t stream = cudart::meant(named);
  if (event->captured.graph != nullptr && !cudart::is_default(stream)) {
    cudart::capture(stream, event->captured);
    return cudaSuccess;
  }
  return cudart::ordered(
      [&](cudart::stream_order& order) { order.wait(cudart::number_of(stream), event->after); });
}
cudaError_t cudaDeviceSynchronize() {
  return cudart::ordered([](cudart::stream_order& order) { order.host_waits_for_all(); });
}
/// There is one priority.
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data) {
  return cudart::perform(stream, cudart::call_of(function, data));
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  void (*function)(cudaStream_t, cudaError_t, void*), void* data,
                                  unsigned) {
  const cudart::device_operation as_operation;
  function(stream, cudart::state_of_device(), data);
  return cudaSuccess;
}
cudaError_t cudaThreadSynchronize() {  // CUDA 12 has it still
  return cudaDeviceSynchronize();
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
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t named) {
  const cudaStream_t stream = cudart::meant(named);
  event->recorded = clock_of_events::now();
  event->captured = cudart::captured_in(stream);
  if (event->captured.graph != nullptr) return cudaSuccess;
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
