// Functions of the runtime by tables: what each does with the arguments that matter, and which
// bytes it is taken to read and write.
#include <gmock/gmock.h>
#include <tests/executor/cudart/calls.hpp>

#include <cstring>
#include <functional>

namespace cudart_test::calls_test {

namespace {

/// How a call is ordered with others.
enum class ordered {
  host_waits,   ///< in the default stream, and the host waits for it
  in_default,   ///< in the default stream
  in_stream,    ///< in the stream that it gets
  may_capture,  ///< the same, and the stream may be captured
};

struct call {
  const char* name;
  std::function<cudaError_t(cudaStream_t)> perform;
  rows writes;
  rows reads{};  ///< none: what it writes is this value again and again
  std::vector<byte> value{};
  ordered how = ordered::host_waits;
};

class cuda_operations : public cuda_calls {
 protected:
  void expect_as_told(const call& what, bool by_capture, bool by_kernel = false) {
    SCOPED_TRACE(std::string(what.name) + (by_capture ? ", captured" : ""));
    fill();
    auto wanted = content();
    const std::vector<byte*> written = what.writes.all(), read = what.reads.all();
    for (std::size_t i = 0; i < written.size(); ++i)
      wanted[written[i]] = read.empty() ? what.value[i % what.value.size()] : wanted[read[i]];

    const cudaStream_t own = new_stream(), before = new_stream(), after = new_stream();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    if (by_capture) {
      const auto found = content();
      ASSERT_EQ(cudaStreamBeginCapture(own, 0), cudaSuccess);
      ASSERT_EQ(what.perform(own), cudaSuccess);
      ASSERT_EQ(cudaStreamEndCapture(own, &graph), cudaSuccess);
      EXPECT_EQ(content(), found);
      ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
    }
    testing::internal::CaptureStderr();
    if (!by_kernel) touch_all(before, true, 'w');
    if (!by_kernel) touch_all(before, false, 'r');
    EXPECT_EQ(by_capture ? cudaGraphLaunch(executable, own) : what.perform(own), cudaSuccess);
    order(after, before);
    touch_all(after, true, 'a');
    // The call is in its stream, or else in the default one.
    const cudaStream_t last = new_stream(what.how < ordered::in_stream);
    for (const cudaStream_t each : {before, after, own}) order(last, each);
    touch_all(last, true, 'l');
    const std::string reported = testing::internal::GetCapturedStderr();
    EXPECT_EQ(content(), wanted);

    std::set<const void*> writes = of_device(what.writes), all = of_device(what.reads);
    all.insert(writes.begin(), writes.end());
    using none = std::set<const void*>;
    if (!by_kernel) {
      EXPECT_EQ(racing(reported, 'r'), writes) << reported;
      EXPECT_EQ(racing(reported, 'w'), all) << reported;
      EXPECT_THAT(reported, testing::HasSubstr(std::string("by ") + what.name));
    }
    EXPECT_EQ(racing(reported, 'a'), what.how == ordered::host_waits ? none() : all) << reported;
    EXPECT_EQ(racing(reported, 'l'), none()) << reported;
    cudaDeviceSynchronize();
    if (executable != nullptr) cudaGraphExecDestroy(executable);
  }
};

TEST_F(cuda_operations, copy_and_set_the_bytes_that_they_say) {
  const auto setting = [&](unsigned element) {
    return [=, this](cudaStream_t in) {
      const cudaMemsetParams what{m.to + 8, 16, 0x04030201, element, 8 / element, 3};
      return launch_graph(in, [&](auto node, auto graph, auto after) {
        return cudaGraphAddMemsetNode(node, graph, after, 1, &what);
      });
    };
  };
  const rows to{m.to + 3, 0, 7}, from{m.from + 1, 0, 7}, table{m.table + 12, 0, 7};
  const rows host_to{m.host_to + 3, 0, 7}, host_from{m.host_from + 1, 0, 7};
  const rows to_rows{m.to + 1, 9, 5, 4}, from_rows{m.from + 2, 12, 5, 4};
  const rows host_rows{m.host_from + 2, 12, 5, 4}, host_to_rows{m.host_to + 1, 9, 5, 4};
  const rows set{m.to + 1, 0, 7}, set_rows{m.to + 1, 10, 7, 3}, node_rows{m.to + 8, 16, 8, 3};
  const auto add_copy = [&](cudaStream_t stream) {
    return launch_graph(stream, [&](auto node, auto graph, auto after) {
      return cudaGraphAddMemcpyNode1D(node, graph, after, 1, to.at, from.at, 7, 3);
    });
  };
  using in = cudaStream_t;
  using enum ordered;
  const void* const symbol = &table_variable;
  const std::vector<call> calls{
      {"cudaMemcpy", [&](in) { return cudaMemcpy(to.at, host_from.at, 7, 1); }, to, host_from},
      {"cudaMemcpy", [&](in) { return cudaMemcpy(host_to.at, from.at, 7, 2); }, host_to, from},
      {"cudaMemcpy",
       [&](in) { return cudaMemcpy(to.at, from.at, 7, 3); },
       to,
       from,
       {},
       in_default},
      {"cudaMemcpyAsync",
       [&](in s) { return cudaMemcpyAsync(to.at, host_from.at, 7, 1, s); },
       to,
       host_from,
       {},
       may_capture},
      {"cudaMemcpyAsync",
       [&](in s) { return cudaMemcpyAsync(host_to.at, from.at, 7, 2, s); },
       host_to,
       from,
       {},
       may_capture},
      {"cudaMemcpy2D", [&](in) { return cudaMemcpy2D(to_rows.at, 9, host_rows.at, 12, 5, 4, 1); },
       to_rows, host_rows},
      {"cudaMemcpy2D",
       [&](in) { return cudaMemcpy2D(host_to_rows.at, 9, from_rows.at, 12, 5, 4, 2); },
       host_to_rows, from_rows},
      {"cudaMemcpy2DAsync",
       [&](in s) { return cudaMemcpy2DAsync(to_rows.at, 9, from_rows.at, 12, 5, 4, 3, s); },
       to_rows,
       from_rows,
       {},
       may_capture},
      {"cudaMemset", [&](in) { return cudaMemset(set.at, 0x1ff, 7); }, set, {}, {255}, in_default},
      {"cudaMemsetAsync",
       [&](in s) { return cudaMemsetAsync(set.at, 9, 7, s); },
       set,
       {},
       {9},
       may_capture},
      {"cudaMemset2D",
       [&](in) { return cudaMemset2D(set.at, 10, 9, 7, 3); },
       set_rows,
       {},
       {9},
       in_default},
      {"cudaMemset2DAsync",
       [&](in s) { return cudaMemset2DAsync(set.at, 10, 9, 7, 3, s); },
       set_rows,
       {},
       {9},
       may_capture},
      {"cudaMemcpyToSymbol", [&](in) { return cudaMemcpyToSymbol(symbol, host_from.at, 7, 12, 1); },
       table, host_from},
      {"cudaMemcpyToSymbolAsync",
       [&](in s) { return cudaMemcpyToSymbolAsync(symbol, host_from.at, 7, 12, 1, s); },
       table,
       host_from,
       {},
       may_capture},
      {"cudaMemcpyFromSymbol",
       [&](in) { return cudaMemcpyFromSymbol(host_to.at, symbol, 7, 12, 2); }, host_to, table},
      {"cudaMemcpyFromSymbolAsync",
       [&](in s) { return cudaMemcpyFromSymbolAsync(host_to.at, symbol, 7, 12, 2, s); },
       host_to,
       table,
       {},
       may_capture},
      {"cudaGraphAddMemsetNode", setting(1), node_rows, {}, {1}, in_stream},
      {"cudaGraphAddMemsetNode", setting(2), node_rows, {}, {1, 2}, in_stream},
      {"cudaGraphAddMemsetNode", setting(4), node_rows, {}, {1, 2, 3, 4}, in_stream},
      {"cudaGraphAddMemcpyNode1D", add_copy, to, from, {}, in_stream}};
  for (const call& each : calls) {
    expect_as_told(each, false);
    if (each.how == ordered::may_capture) expect_as_told(each, true);
  }
}

TEST_F(cuda_operations, launch_the_shape_that_they_say_in_their_stream) {
  const dim3 blocks{2, 1, 3}, threads{5, 6, 7};
  constexpr std::size_t shared = 96;
  void* arguments[] = {&m.to};
  cudaLaunchAttribute in_clusters[] = {{cudaLaunchAttributeCooperative, 0, {{0}}},
                                       {cudaLaunchAttributeClusterDimension, 0, {{2, 1, 1}}}};
  const cudaKernelNodeParams in_node{
      const_cast<char*>(&shape_kernel), blocks, threads, shared, arguments, nullptr};
  using in = cudaStream_t;
  const std::pair<const char*, std::function<cudaError_t(in)>> launches[] = {
      {"cudaLaunchKernel",
       [&](in s) {
         return cudaLaunchKernel(&shape_kernel, blocks, threads, arguments, shared, s);
       }},
      {"cudaLaunchCooperativeKernel",
       [&](in s) {
         return cudaLaunchCooperativeKernel(&shape_kernel, blocks, threads, arguments, shared, s);
       }},
      {"cudaLaunchKernelExC",
       [&](in s) {
         const cudaLaunchConfig_t how{blocks, threads, shared, s, in_clusters, 2};
         return cudaLaunchKernelExC(&how, &shape_kernel, arguments);
       }},
      {"<<<>>>",
       [&](in s) {
         cudaKernel_t kernel = nullptr;
         dim3 grid{}, block{};
         std::size_t bytes_of_block = 0;
         in stream = nullptr;
         __cudaGetKernel(&kernel, &shape_kernel);
         __cudaPushCallConfiguration({1, 1, 1}, {1, 1, 1}, 0, nullptr);  // of an outer call
         __cudaPushCallConfiguration(blocks, threads, shared, s);
         __cudaPopCallConfiguration(&grid, &block, &bytes_of_block, &stream);
         const cudaError_t status =
             __cudaLaunchKernel(kernel, grid, block, arguments, bytes_of_block, stream);
         EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &bytes_of_block, &stream),
                   cudaSuccess);
         EXPECT_EQ(grid.x * grid.y * grid.z * block.x * block.y * block.z, 1u);
         EXPECT_EQ(stream, nullptr);
         EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &bytes_of_block, &stream),
                   cudaErrorInvalidConfiguration);
         cudaGetLastError();
         return status;
       }},
      {"cudaGraphAddKernelNode", [&](in s) {
         cudaGraph_t graph = nullptr;
         cudaGraphExec_t executable = nullptr;
         cudaGraphNode_t node = nullptr, found[2] = {};
         std::size_t count = 2;
         cudaGraphCreate(&graph, 0);
         EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &in_node), cudaSuccess);
         EXPECT_EQ(cudaGraphGetNodes(graph, found, &count), cudaSuccess);
         EXPECT_EQ(count, 1u);
         EXPECT_EQ(found[0], node);
         const auto set = [&](int attribute, unsigned x, unsigned y = 0, unsigned z = 0) {
           const cudaLaunchAttributeValue value{{x, y, z}};
           cudaGraphKernelNodeSetAttribute(node, attribute, &value);
         };
         set(cudaLaunchAttributeClusterDimension, 2, 3, 4);
         const dim3& cluster = node->shape->cluster;
         EXPECT_EQ(cluster.x * 100 + cluster.y * 10 + cluster.z, 234u);
         set(cudaLaunchAttributeClusterDimension, 2, 1, 1);
         for (const unsigned each : {1, 0}) {
           set(cudaLaunchAttributeCooperative, each);
           set(cudaLaunchAttributeProgrammaticStreamSerialization, each);
           EXPECT_EQ(node->shape->is_cooperative, each != 0);
           EXPECT_EQ(node->shape->overlaps, each != 0);
         }
         cudaGraphInstantiateWithFlags(&executable, graph, 0);
         cudaGraphDestroy(graph);
         return cudaGraphLaunch(executable, s);
       }}};
  for (const auto& [name, perform] : launches) {
    const bool is_node = std::string(name) == "cudaGraphAddKernelNode";
    const bool has_clusters = is_node || std::string(name) == "cudaLaunchKernelExC";
    const std::uint32_t words[] = {2, 1, 3, 5, 6, 7, shared, has_clusters ? 2u : 1u};
    std::vector<byte> seen(sizeof words);
    std::memcpy(seen.data(), words, sizeof words);
    const call what{name, perform, {m.to, 0, sizeof words}, {}, seen, ordered::in_stream};
    expect_as_told(what, false, true);
    if (!is_node) expect_as_told(what, true, true);
  }
}

TEST_F(cuda_calls, are_refused_for_clusters_that_do_not_divide_the_grid) {
  const auto status = [&](const dim3& blocks, const dim3& cluster, const void* kernel) {
    cudaLaunchAttribute attribute{cudaLaunchAttributeClusterDimension, 0, {}};
    attribute.val = {{cluster.x, cluster.y, cluster.z}};
    const cudaLaunchConfig_t how{blocks, {1, 1, 1}, 0, nullptr, &attribute, 1};
    void* at = m.to;
    void* arguments[] = {&at};
    return cudaLaunchKernelExC(&how, kernel, arguments);
  };
  EXPECT_EQ(status({2, 4, 2}, {1, 2, 2}, &shape_kernel), cudaSuccess);
  EXPECT_EQ(status({2, 4, 2}, {0, 0, 0}, &shape_kernel), cudaSuccess);
  EXPECT_EQ(status({4, 1, 1}, {3, 1, 1}, &shape_kernel), cudaErrorInvalidClusterSize);
  EXPECT_EQ(status({4, 1, 1}, {1, 2, 1}, &shape_kernel), cudaErrorInvalidClusterSize);
  EXPECT_EQ(status({4, 2, 3}, {1, 1, 2}, &shape_kernel), cudaErrorInvalidClusterSize);
  EXPECT_EQ(status({4, 2, 2}, {2, 0, 1}, &shape_kernel), cudaErrorInvalidClusterSize);
  EXPECT_EQ(status({1u << 31, 4, 4}, {1u << 31, 2, 1}, &shape_kernel),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(status({65536, 1, 1}, {65536, 1, 1}, &shape_kernel), cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidClusterSize);

  EXPECT_EQ(status({2, 4, 1}, {0, 0, 0}, &boxes_kernel), cudaSuccess);
  EXPECT_EQ(status({2, 4, 1}, {2, 2, 1}, &boxes_kernel), cudaSuccess);
  EXPECT_EQ(status({2, 3, 1}, {0, 0, 0}, &boxes_kernel), cudaErrorInvalidClusterSize);
  EXPECT_EQ(status({2, 4, 1}, {1, 2, 1}, &boxes_kernel), cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidClusterSize);
}

}  // namespace

}  // namespace cudart_test::calls_test
