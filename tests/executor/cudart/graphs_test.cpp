// Graphs: what is captured or added is done when the graph is launched, in the order of its
// dependencies.
#include <cudart/graphs.hpp>

#include <gtest/gtest.h>
#include <tests/executor/cudart/runtime.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudart_test {

namespace {

// word = 3 * word + addend
constexpr std::string_view text = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry step(.param .u64 word, .param .u32 addend)
{
	.reg .b32 %r<3>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [word];
	ld.param.u32 %r1, [addend];
	ld.global.u32 %r2, [%d1];
	mad.lo.u32 %r2, %r2, 3, %r1;
	st.global.u32 [%d1], %r2;
	ret;
}
)";

const char step_kernel = 0;

class cuda_graphs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const registered_module program(text);
    program.kernel(&step_kernel, "step");
  }
  cuda_graphs() {
    cudaMalloc(&word, sizeof(std::uint32_t));
    cudaMemset(word, 0, sizeof(std::uint32_t));
  }
  ~cuda_graphs() override { cudaFree(word); }

  std::uint32_t value() const {
    std::uint32_t read = 0;
    cudaMemcpy(&read, word, sizeof read, 2);
    return read;
  }
  void launch_step(cudaStream_t stream, std::uint32_t addend) {
    void* arguments[] = {&word, &addend};
    ASSERT_EQ(cudaLaunchKernel(&step_kernel, {1, 1, 1}, {1, 1, 1}, arguments, 0, stream),
              cudaSuccess);
  }
  cudaGraphNode_t add_step(cudaGraph_t graph, std::uint32_t addend) {
    void* arguments[] = {&word, &addend};
    const cudaKernelNodeParams what{
        const_cast<char*>(&step_kernel), {1, 1, 1}, {1, 1, 1}, 0, arguments, nullptr};
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &what), cudaSuccess);
    return node;
  }

  void* word = nullptr;
};

TEST_F(cuda_graphs, do_what_was_captured_at_each_launch) {
  const cudaStream_t stream = new_stream(), other = new_stream();
  const cudaEvent_t event = new_event();
  ASSERT_EQ(cudaStreamBeginCapture(stream, 0), cudaSuccess);
  launch_step(stream, 1);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(other, event, 0);  // joins
  launch_step(other, 2);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(graph->nodes.size(), 2u);
  EXPECT_EQ(value(), 0u);

  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(value(), 3u * 1 + 2);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(value(), 3u * (3 * 5 + 1) + 2);
  launch_step(other, 7);  // is captured no more
  EXPECT_EQ(value(), 3u * 50 + 7);
}

TEST_F(cuda_graphs, capture_the_order_of_streams_and_events) {
  const cudaStream_t stream = new_stream(), other = new_stream();
  const cudaEvent_t event = new_event();
  cudaStreamBeginCapture(stream, 0);
  launch_step(stream, 1);
  cudaEventRecord(event, stream);
  launch_step(stream, 2);
  cudaStreamWaitEvent(other, event, 0);
  launch_step(other, 3);
  cudaEventRecord(event, other);
  cudaStreamWaitEvent(stream, event, 0);
  launch_step(stream, 4);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  const auto& nodes = graph->nodes;
  ASSERT_EQ(nodes.size(), 4u);
  using after = std::vector<const CUgraphNode_st*>;
  EXPECT_EQ(nodes[0].after, after{});
  EXPECT_EQ(nodes[1].after, after{&nodes[0]});
  EXPECT_EQ(nodes[2].after, after{&nodes[0]});
  EXPECT_EQ(nodes[3].after, (after{&nodes[1], &nodes[2]}));
}

TEST_F(cuda_graphs, follow_their_dependencies) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  const cudaGraphNode_t last = add_step(graph, 2), middle = add_step(graph, 3);
  const cudaGraphNode_t first = add_step(graph, 1);
  const cudaGraphNode_t from[]{first, middle}, to[]{middle, last};
  cudaGraphAddDependencies_v2(nullptr, from, to, nullptr, 2);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_EQ(value(), 3u * (3u * 1 + 3) + 2);

  cudaGraphAddDependencies_v2(nullptr, &last, &first, nullptr, 1);
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaErrorInvalidValue);
}

TEST_F(cuda_graphs, set_copy_and_call) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  std::uint32_t seen = 0;
  static std::uint32_t twice;
  const cudaMemsetParams fill{word, 4, 0x01020304, 4, 1, 1};
  cudaGraphNode_t sets = nullptr;
  cudaGraphNode_t copies = nullptr;
  cudaGraphNode_t calls = nullptr;
  ASSERT_EQ(cudaGraphAddMemsetNode(&sets, graph, nullptr, 0, &fill), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copies, graph, &sets, 1, &seen, word, 4, 2), cudaSuccess);
  const cudaHostNodeParams call{
      [](void* value) { twice = 2 * *static_cast<std::uint32_t*>(value); }, &seen};
  ASSERT_EQ(cudaGraphAddHostNode(&calls, graph, &copies, 1, &call), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(seen, 0u);
  ASSERT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_EQ(seen, 0x01020304u);
  EXPECT_EQ(twice, 0x02040608u);
}

/// What two launches tell of a graph in which two nodes set half of a word each, and one copies it
/// after both, or after one of them.
std::string told_of_branches(void* word, bool after_both) {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  std::uint32_t seen = 0;
  const cudaMemsetParams low{word, 2, 0, 2, 1, 1};
  const cudaMemsetParams high{static_cast<std::uint16_t*>(word) + 1, 2, 0, 2, 1, 1};
  cudaGraphNode_t halves[2];
  cudaGraphNode_t last = nullptr;
  cudaGraphAddMemsetNode(&halves[0], graph, nullptr, 0, &low);
  cudaGraphAddMemsetNode(&halves[1], graph, nullptr, 0, &high);
  cudaGraphAddMemcpyNode1D(&last, graph, halves, after_both ? 2 : 1, &seen, word, 4, 2);
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  testing::internal::CaptureStderr();
  cudaGraphLaunch(executable, nullptr);
  cudaGraphLaunch(executable, nullptr);
  return testing::internal::GetCapturedStderr();
}

TEST_F(cuda_graphs, have_branches_that_may_race) {
  EXPECT_EQ(told_of_branches(word, true), "");
  EXPECT_NE(told_of_branches(word, false).find("is not ordered after the write"),
            std::string::npos);
}

TEST_F(cuda_graphs, take_programmatic_edges_for_launches_that_may_overlap) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  const cudaGraphNode_t first = add_step(graph, 1);
  const cudaGraphNode_t second = add_step(graph, 2);
  EXPECT_FALSE(second->shape->overlaps);
  const cudaGraphEdgeData edge{1, 0, cudaGraphDependencyTypeProgrammatic, {}};
  cudaGraphAddDependencies_v2(nullptr, &first, &second, &edge, 1);
  EXPECT_TRUE(second->shape->overlaps);
}

}  // namespace

}  // namespace cudart_test
