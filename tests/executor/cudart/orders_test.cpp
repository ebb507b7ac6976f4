// What functions of the runtime are ordered with: by streams, events, graphs and waits of the host.
#include <cudart/per_thread.hpp>

#include <tests/executor/cudart/calls.hpp>

#include <functional>
#include <thread>

extern "C" {
cudaError_t cudaMemsetAsync_ptsz(void*, int, std::size_t, cudaStream_t);
cudaError_t cudaMemset_ptds(void*, int, std::size_t);
cudaError_t cudaMemcpy_ptds(void*, const void*, std::size_t, int);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t);
cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
}

namespace cudart_test::orders_test {

namespace {

/// What a program does between an operation of one stream and one of another.
struct between {
  const char* name;
  std::function<void(cudaStream_t first, cudaStream_t second)> perform;
  bool orders;
  bool meet_default = false;  ///< both streams
};

TEST_F(cuda_calls, order_what_they_say) {
  const cudaEvent_t event = new_event(), early = new_event();
  const auto use_default = [this](cudaStream_t stream) {
    cudart::on_device([&] { touch(stream, m.from, true, 'd'); });
  };
  const auto legacy = reinterpret_cast<cudaStream_t>(1);
  const auto per_thread = reinterpret_cast<cudaStream_t>(2);
  using in = cudaStream_t;
  const auto again = [&](in first, in second) {  // recorded before, too
    cudaEventRecord(early, first);
    cudaStreamWaitEvent(second, early, 0);
  };
  const auto nothing = [](void*) {};
  const between cases[] = {
      {"nothing", [](in, in) {}, false},
      {"nothing, blocking streams", [](in, in) {}, false, true},
      {"the default stream", [&](in, in) { use_default(nullptr); }, true, true},
      {"the legacy stream", [&](in, in) { use_default(legacy); }, true, true},
      {"the stream of the thread", [&](in, in) { use_default(per_thread); }, true, true},
      {"the default stream, others", [&](in, in) { use_default(nullptr); }, false},
      {"an event recorded before", [&](in, in s) { cudaStreamWaitEvent(s, early, 0); }, false},
      {"an event recorded again", again, true},
      {"an event that nobody waits for", [&](in f, in) { cudaEventRecord(event, f); }, false},
      {"an event of the other stream", [&](in, in s) { again(s, s); }, false},
      {"an event that the first waits for", [&](in f, in s) { again(s, f); }, false},
      {"an event by way of the default stream",
       [&](in f, in s) {
         again(f, nullptr);
         again(nullptr, s);
       },
       true},
      {"cudaEventSynchronize",
       [&](in f, in) {
         cudaEventRecord(event, f);
         cudaEventSynchronize(event);
       },
       true},
      {"cudaEventQuery",
       [&](in f, in) {
         cudaEventRecord(event, f);
         EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
       },
       true},
      {"cudaEventSynchronize, of the other",
       [&](in, in s) {
         cudaEventRecord(event, s);
         cudaEventSynchronize(event);
       },
       false},
      {"cudaStreamSynchronize", [](in f, in) { cudaStreamSynchronize(f); }, true},
      {"cudaStreamSynchronize, of the other", [](in, in s) { cudaStreamSynchronize(s); }, false},
      {"cudaStreamSynchronize, of the default one", [](in, in) { cudaStreamSynchronize(nullptr); },
       true, true},
      {"cudaStreamQuery", [](in f, in) { EXPECT_EQ(cudaStreamQuery(f), cudaSuccess); }, true},
      {"cudaDeviceSynchronize", [](in, in) { cudaDeviceSynchronize(); }, true},
      {"cudaThreadSynchronize", [](in, in) { cudaThreadSynchronize(); }, true},
      {"cudaLaunchHostFunc", [&](in f, in) { cudaLaunchHostFunc(f, nothing, nullptr); }, false},
      {"a graph of two branches",
       [&](in f, in s) {
         order(s, f);
         const cudaMemsetParams other{m.from, 8, 0, 1, 8, 1}, same{m.to, 8, 0, 1, 8, 1};
         launch_graph(s, [&](auto node, auto graph, auto) {
           cudaGraphAddMemsetNode(node, graph, nullptr, 0, &other);
           return cudaGraphAddMemsetNode(node, graph, nullptr, 0, &same);
         });
       },
       true},
      {"cudaMalloc and cudaFree",
       [](in, in) {
         void* other = nullptr;
         cudaMalloc(&other, 4);
         cudaFree(other);
       },
       true},
      {"cudaFreeAsync of the memory",
       [&](in f, in) {
         cudaDeviceSynchronize();
         cudaFreeAsync(m.to, f);
         void* next = nullptr;
         cudaMalloc(&next, bytes);
         m.to = static_cast<byte*>(next);
       },
       true}};
  for (const between& each : cases) {
    SCOPED_TRACE(each.name);
    const cudaStream_t first = new_stream(each.meet_default);
    const cudaStream_t second = new_stream(each.meet_default);
    cudaEventRecord(early, first);
    testing::internal::CaptureStderr();
    cudart::on_device([&] { touch(first, m.to, true, 'f'); });
    each.perform(first, second);
    cudart::on_device([&] { touch(second, m.to, true, 's'); });
    const std::string reported = testing::internal::GetCapturedStderr();
    EXPECT_EQ(racing(reported, 's').empty(), each.orders) << reported;
    cudaDeviceSynchronize();
  }
}

TEST_F(cuda_calls, have_a_default_stream_for_each_thread_if_they_are_named_so) {
  const auto nothing = [] {};
  const auto legacy = [&] { cudaMemsetAsync(m.from, 0, 8, nullptr); };
  const auto waits = [] { cudaStreamSynchronize_ptsz(nullptr); };
  const auto waits_by_name = [] { cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(2)); };
  // One OS thread sets memory, and then another one writes it, both in their default streams.
  const auto is_race = [&](const std::function<void()>& between) {
    testing::internal::CaptureStderr();
    std::thread([&] {
      EXPECT_EQ(cudaMemsetAsync_ptsz(m.to, 0, 8, nullptr), cudaSuccess);
      between();
    }).join();
    std::thread([&] {
      const cudaStream_t own = cudart::meant(reinterpret_cast<cudaStream_t>(2));
      cudart::on_device([&] { touch(own, m.to, true, 't'); });
    }).join();
    cudaDeviceSynchronize();
    return !racing(testing::internal::GetCapturedStderr(), 't').empty();
  };
  EXPECT_TRUE(is_race(nothing));
  EXPECT_FALSE(is_race(legacy));
  EXPECT_FALSE(is_race(waits));
  EXPECT_FALSE(is_race(waits_by_name));
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMemset_ptds(m.to, 0, 8), cudaSuccess);
  EXPECT_EQ(cudaMemcpy_ptds(m.from, m.to, 8, 3), cudaSuccess);
  void* at = m.to;
  void* arguments[] = {&at};
  EXPECT_EQ(cudaLaunchKernel_ptsz(&shape_kernel, {1, 1, 1}, {1, 1, 1}, arguments, 0, nullptr),
            cudaSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // one stream
}

TEST_F(cuda_calls, create_streams_that_meet_the_default_one_unless_told_not_to) {
  cudaStream_t streams[3] = {};
  cudaStreamCreate(&streams[0]);
  cudaStreamCreateWithPriority(&streams[1], 0, 0);
  cudaStreamCreateWithPriority(&streams[2], 1, 0);
  for (const cudaStream_t each : streams) {
    testing::internal::CaptureStderr();
    cudart::on_device([&] { touch(nullptr, m.to, true, 'd'); });
    cudart::on_device([&] { touch(each, m.to, true, 's'); });
    EXPECT_EQ(testing::internal::GetCapturedStderr().empty(), each != streams[2]);
    cudaDeviceSynchronize();
  }
  const cudaEvent_t first = new_event(), second = new_event();
  float ms = 0;
  cudaEventRecord(first, streams[0]);
  cudaEventRecord(second, streams[0]);
  EXPECT_EQ(cudaEventElapsedTime(&ms, first, second), cudaSuccess);
  EXPECT_GT(ms, 0);
  for (const cudaEvent_t each : {first, second}) EXPECT_EQ(cudaEventDestroy(each), cudaSuccess);
  for (const cudaStream_t each : streams) EXPECT_EQ(cudaStreamDestroy(each), cudaSuccess);
}

TEST_F(cuda_calls, free_memory_of_which_nothing_stays_known) {
  const cudaStream_t frees = new_stream(), uses = new_stream();
  testing::internal::CaptureStderr();
  cudart::on_device([&] { touch(frees, m.to, true, 'f'); });
  EXPECT_EQ(cudaFreeAsync(m.to, frees), cudaSuccess);
  cudart::on_device([&] { touch(uses, m.to, true, 'u'); });  // as of the next that gets it
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  m.to = nullptr;
}

TEST_F(cuda_calls, capture_no_longer_than_asked_and_no_other_stream) {
  const cudaStream_t captured = new_stream(), other = new_stream();
  const auto is_capturing = [](cudaStream_t stream) {
    int status = -1;
    EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    return status == 1;
  };
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamEndCapture(captured, &graph), cudaErrorInvalidValue);
  cudaStreamBeginCapture(captured, 0);
  EXPECT_TRUE(is_capturing(captured));
  EXPECT_FALSE(is_capturing(other) || is_capturing(nullptr));
  m.to[0] = 1;
  cudaMemsetAsync(m.to, 2, 1, other);
  EXPECT_EQ(m.to[0], 2);
  cudaStreamBeginCapture(other, 0);
  static int calls = 0;
  cudaLaunchHostFunc(
      captured, [](void* more) { calls += *static_cast<int*>(more); }, &calls);
  EXPECT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
  EXPECT_FALSE(is_capturing(captured));
  EXPECT_TRUE(is_capturing(other));
  cudaGraph_t another = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(other, &another), cudaSuccess);
  EXPECT_NE(another, graph);
  EXPECT_EQ(graph->nodes.size(), 1u);
  const auto add = [](cudaStream_t stream, cudaError_t error, void* to) {
    *static_cast<cudaStream_t*>(to) = error == cudaSuccess ? stream : nullptr;
  };
  cudaStream_t seen = nullptr;
  EXPECT_EQ(cudaStreamAddCallback(other, add, &seen, 0), cudaSuccess);
  EXPECT_EQ(seen, other);
}

}  // namespace

}  // namespace cudart_test::orders_test
