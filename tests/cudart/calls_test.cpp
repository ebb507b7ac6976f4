// Functions of the runtime by tables: what each does with the arguments that matter, which bytes it
// is taken to read and write, and what it is ordered with.
#include <cudart/device.hpp>
#include <cudart/graphs.hpp>
#include <cudart/streams.hpp>
#include <simt/arena.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tests/cudart/runtime.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace cudart_test::calls_test {

namespace {

constexpr std::string_view text = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .b8 table[64];
.visible .global .align 8 .b8 shared_table[16];

// Tells the shape of its grid, of its blocks, and its shared memory.
.visible .entry shape(.param .u64 out)
{
	.shared .align 4 .b8 tile[4096];
	.reg .b32 %r<9>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %nctaid.x;
	mov.u32 %r2, %nctaid.y;
	mov.u32 %r3, %nctaid.z;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %ntid.y;
	mov.u32 %r6, %ntid.z;
	mov.u32 %r7, %dynamic_smem_size;
	mov.u32 %r8, %cluster_nctaid.x;
	st.relaxed.gpu.global.u32 [%d1], %r1;
	st.relaxed.gpu.global.u32 [%d1+4], %r2;
	st.relaxed.gpu.global.u32 [%d1+8], %r3;
	st.relaxed.gpu.global.u32 [%d1+12], %r4;
	st.relaxed.gpu.global.u32 [%d1+16], %r5;
	st.relaxed.gpu.global.u32 [%d1+20], %r6;
	st.relaxed.gpu.global.u32 [%d1+24], %r7;
	st.relaxed.gpu.global.u32 [%d1+28], %r8;
	ret;
}
)";

const char shape_kernel = 0;
char table_variable = 0;
void* shared_table = nullptr;

constexpr std::size_t bytes = 64;
using byte = unsigned char;

cudaStream_t new_stream(bool meets_default = false) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, meets_default ? 0 : 1);
  return stream;
}

/// Rows of bytes at some place.
struct rows {
  byte* at = nullptr;
  std::size_t pitch = 0, width = 0, count = 1;

  std::vector<byte*> all() const {
    std::vector<byte*> found;
    for (std::size_t i = 0; i < width * count; ++i)
      found.push_back(at + i / width * pitch + i % width);
    return found;
  }
};

/// Memory that calls use: two buffers and a variable of the device, and two arrays of the host.
struct memory {
  byte *to, *from, *table;
  byte *host_to, *host_from;
};

/// How a call is ordered with others.
enum class ordered {
  host_waits,   ///< in the default stream, and the host waits for it
  in_default,   ///< in the default stream
  in_stream,    ///< in the stream that it gets
  may_capture,  ///< the same, and the stream may be captured
};

struct call {
  const char* name;
  std::function<void(cudaStream_t)> perform;
  rows writes;
  rows reads{};  ///< none: what it writes is this value again and again
  std::vector<byte> value{};
  ordered how = ordered::host_waits;
};

class cuda_calls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const registered_module program(text);
    program.kernel(&shape_kernel, "shape");
    program.variable(&table_variable, "table", bytes);
    program.managed_variable(&shared_table, "shared_table", 16);
  }

  cuda_calls() {
    for (byte** each : {&m.to, &m.from}) {
      void* made = nullptr;
      cudaMalloc(&made, bytes);
      *each = static_cast<byte*>(made);
    }
    void* table = nullptr;
    cudaGetSymbolAddress(&table, &table_variable);
    m.table = static_cast<byte*>(table);
    m.host_to = host_[0].data();
    m.host_from = host_[1].data();
  }
  ~cuda_calls() override {
    cudaFree(m.to);
    cudaFree(m.from);
  }

  /// All bytes of the host's arrays and the device's memory.
  std::map<const byte*, byte> content() const {
    std::map<const byte*, byte> all;
    for (const byte* each : {m.to, m.from, m.table, m.host_to, m.host_from})
      for (std::size_t i = 0; i < bytes; ++i) all[each + i] = each[i];
    return all;
  }
  void fill() const {
    byte next = 1;
    for (byte* each : {m.to, m.from, m.table, m.host_to, m.host_from})
      for (std::size_t i = 0; i < bytes; ++i) each[i] = next = static_cast<byte>(next * 5 + 3);
  }

  /// Each byte of the device by itself, as an operation of its own name.
  void touch_all(cudaStream_t stream, bool writes, char name) const {
    cudart::on_device([&] {
      for (byte* each : {m.to, m.from, m.table})
        for (std::size_t i = 0; i < bytes; ++i) touch(stream, each + i, writes, name);
    });
  }
  static void touch(cudaStream_t stream, const byte* at, bool writes, char name) {
    const std::uint64_t offset = simt::global_memory().offset(at);
    cudart::accesses done;
    done[{.writes = writes}] += cudart::byte_range::right_open(offset, offset + 1);
    std::ostringstream kernel;
    kernel << name << ' ' << static_cast<const void*>(at) << ' ' << ++touches_;
    cudart::overlaps().add({.text = "a touch", .kernel = kernel.str()}, cudart::number_of(stream),
                           done);
  }
  static void order(cudaStream_t after, cudaStream_t before) {
    cudart::on_device([&] {
      cudart::stream_order& all = cudart::overlaps().order;
      all.wait(cudart::number_of(after), all.recorded(cudart::number_of(before)));
    });
  }
  /// Touches of this name that race.
  static std::set<const void*> racing(const std::string& told, char name) {
    std::set<const void*> found;
    std::istringstream lines(told);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string tool, of;
      void* at = nullptr;
      if (words >> tool >> of >> at && of == std::string(1, name)) found.insert(at);
    }
    return found;
  }
  std::set<const void*> of_device(const rows& which) const {
    std::set<const void*> found;
    for (const byte* each : which.all())
      for (const byte* begin : {m.to, m.from, m.table})
        if (each >= begin && each < begin + bytes) found.insert(each);
    return found;
  }

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
      what.perform(own);
      ASSERT_EQ(cudaStreamEndCapture(own, &graph), cudaSuccess);
      EXPECT_EQ(content(), found);
      ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
    }
    testing::internal::CaptureStderr();
    if (!by_kernel) touch_all(before, true, 'w');
    if (!by_kernel) touch_all(before, false, 'r');
    if (by_capture)
      cudaGraphLaunch(executable, own);
    else
      what.perform(own);
    order(after, before);
    touch_all(after, true, 'a');
    // The call is in its stream, or else in the default one.
    const cudaStream_t last = new_stream(what.how < ordered::in_stream);
    for (const cudaStream_t each : {before, after, own}) order(last, each);
    touch_all(last, true, 'l');
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(content(), wanted);

    std::set<const void*> writes = of_device(what.writes), all = of_device(what.reads);
    all.insert(writes.begin(), writes.end());
    using none = std::set<const void*>;
    if (!by_kernel) {
      EXPECT_EQ(racing(told, 'r'), writes) << told;
      EXPECT_EQ(racing(told, 'w'), all) << told;
      EXPECT_THAT(told, testing::HasSubstr(std::string("by ") + what.name));
    }
    EXPECT_EQ(racing(told, 'a'), what.how == ordered::host_waits ? none() : all) << told;
    EXPECT_EQ(racing(told, 'l'), none()) << told;
    cudaDeviceSynchronize();
    if (executable != nullptr) cudaGraphExecDestroy(executable);
  }

  memory m{};

 private:
  inline static unsigned touches_ = 0;
  std::array<std::array<byte, bytes>, 2> host_{};
};

/// Launches a graph to which add(node, graph, after) adds one; it begins with an empty node.
template <class Add>
void launch_graph(cudaStream_t in, const Add& add) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphNode_t empty = nullptr, node = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddEmptyNode(&empty, graph, nullptr, 0);
  add(&node, graph, &empty);
  cudaGraphInstantiateWithFlags(&executable, graph, 0);
  EXPECT_EQ(cudaGraphLaunch(executable, in), cudaSuccess);
}

TEST_F(cuda_calls, copy_and_set_the_bytes_that_they_say) {
  const auto setting = [&](unsigned element) {
    return [=, this](cudaStream_t in) {
      const cudaMemsetParams what{m.to + 8, 16, 0x04030201, element, 8 / element, 3};
      launch_graph(in, [&](auto node, auto graph, auto after) {
        cudaGraphAddMemsetNode(node, graph, after, 1, &what);
      });
    };
  };
  const rows to{m.to + 3, 0, 7}, from{m.from + 1, 0, 7}, table{m.table + 12, 0, 7};
  const rows host_to{m.host_to + 3, 0, 7}, host_from{m.host_from + 1, 0, 7};
  const rows to_rows{m.to + 1, 9, 5, 4}, from_rows{m.from + 2, 12, 5, 4};
  const rows host_rows{m.host_from + 2, 12, 5, 4}, host_to_rows{m.host_to + 1, 9, 5, 4};
  const rows set{m.to + 1, 0, 7}, set_rows{m.to + 1, 10, 7, 3}, node_rows{m.to + 8, 16, 8, 3};
  const auto add_copy = [&](cudaStream_t stream) {
    launch_graph(stream, [&](auto node, auto graph, auto after) {
      cudaGraphAddMemcpyNode1D(node, graph, after, 1, to.at, from.at, 7, 3);
    });
  };
  using in = cudaStream_t;
  using enum ordered;
  const void* const symbol = &table_variable;
  const std::vector<call> calls{
      {"cudaMemcpy", [&](in) { cudaMemcpy(to.at, host_from.at, 7, 1); }, to, host_from},
      {"cudaMemcpy", [&](in) { cudaMemcpy(host_to.at, from.at, 7, 2); }, host_to, from},
      {"cudaMemcpy", [&](in) { cudaMemcpy(to.at, from.at, 7, 3); }, to, from, {}, in_default},
      {"cudaMemcpyAsync",
       [&](in s) { cudaMemcpyAsync(to.at, host_from.at, 7, 1, s); },
       to,
       host_from,
       {},
       may_capture},
      {"cudaMemcpyAsync",
       [&](in s) { cudaMemcpyAsync(host_to.at, from.at, 7, 2, s); },
       host_to,
       from,
       {},
       may_capture},
      {"cudaMemcpy2D", [&](in) { cudaMemcpy2D(to_rows.at, 9, host_rows.at, 12, 5, 4, 1); }, to_rows,
       host_rows},
      {"cudaMemcpy2D", [&](in) { cudaMemcpy2D(host_to_rows.at, 9, from_rows.at, 12, 5, 4, 2); },
       host_to_rows, from_rows},
      {"cudaMemcpy2DAsync",
       [&](in s) { cudaMemcpy2DAsync(to_rows.at, 9, from_rows.at, 12, 5, 4, 3, s); },
       to_rows,
       from_rows,
       {},
       may_capture},
      {"cudaMemset", [&](in) { cudaMemset(set.at, 0x1ff, 7); }, set, {}, {255}, in_default},
      {"cudaMemsetAsync",
       [&](in s) { cudaMemsetAsync(set.at, 9, 7, s); },
       set,
       {},
       {9},
       may_capture},
      {"cudaMemset2D",
       [&](in) { cudaMemset2D(set.at, 10, 9, 7, 3); },
       set_rows,
       {},
       {9},
       in_default},
      {"cudaMemset2DAsync",
       [&](in s) { cudaMemset2DAsync(set.at, 10, 9, 7, 3, s); },
       set_rows,
       {},
       {9},
       may_capture},
      {"cudaMemcpyToSymbol", [&](in) { cudaMemcpyToSymbol(symbol, host_from.at, 7, 12, 1); }, table,
       host_from},
      {"cudaMemcpyToSymbolAsync",
       [&](in s) { cudaMemcpyToSymbolAsync(symbol, host_from.at, 7, 12, 1, s); },
       table,
       host_from,
       {},
       may_capture},
      {"cudaMemcpyFromSymbol", [&](in) { cudaMemcpyFromSymbol(host_to.at, symbol, 7, 12, 2); },
       host_to, table},
      {"cudaMemcpyFromSymbolAsync",
       [&](in s) { cudaMemcpyFromSymbolAsync(host_to.at, symbol, 7, 12, 2, s); },
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

TEST_F(cuda_calls, launch_the_shape_that_they_say_in_their_stream) {
  const dim3 blocks{2, 1, 3}, threads{5, 6, 7};
  constexpr std::size_t shared = 96;
  void* arguments[] = {&m.to};
  cudaLaunchAttribute in_clusters[] = {{cudaLaunchAttributeCooperative, 0, {{0}}},
                                       {cudaLaunchAttributeClusterDimension, 0, {{2, 1, 1}}}};
  const cudaKernelNodeParams in_node{
      const_cast<char*>(&shape_kernel), blocks, threads, shared, arguments, nullptr};
  using in = cudaStream_t;
  const std::pair<const char*, std::function<void(in)>> launches[] = {
      {"cudaLaunchKernel",
       [&](in s) { cudaLaunchKernel(&shape_kernel, blocks, threads, arguments, shared, s); }},
      {"cudaLaunchCooperativeKernel",
       [&](in s) {
         cudaLaunchCooperativeKernel(&shape_kernel, blocks, threads, arguments, shared, s);
       }},
      {"cudaLaunchKernelExC",
       [&](in s) {
         const cudaLaunchConfig_t how{blocks, threads, shared, s, in_clusters, 2};
         cudaLaunchKernelExC(&how, &shape_kernel, arguments);
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
         __cudaLaunchKernel(kernel, grid, block, arguments, bytes_of_block, stream);
         EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &bytes_of_block, &stream),
                   cudaSuccess);
         EXPECT_EQ(grid.x * grid.y * grid.z * block.x * block.y * block.z, 1u);
         EXPECT_EQ(stream, nullptr);
         EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &bytes_of_block, &stream),
                   cudaErrorInvalidConfiguration);
         cudaGetLastError();
       }},
      {"cudaGraphAddKernelNode", [&](in s) {
         cudaGraph_t graph = nullptr;
         cudaGraphExec_t executable = nullptr;
         cudaGraphNode_t node = nullptr, found[2] = {};
         std::size_t count = 2;
         cudaGraphCreate(&graph, 0);
         cudaGraphAddKernelNode(&node, graph, nullptr, 0, &in_node);
         EXPECT_EQ(cudaGraphGetNodes(graph, found, &count), cudaSuccess);
         EXPECT_EQ(count, 1u);
         EXPECT_EQ(found[0], node);
         const auto set = [&](int attribute, unsigned x, unsigned y = 0, unsigned z = 0) {
           const cudaLaunchAttributeValue value{{x, y, z}};
           cudaGraphKernelNodeSetAttribute(node, attribute, &value);
         };
         set(cudaLaunchAttributeClusterDimension, 2, 3, 4);
         EXPECT_EQ(node->shape->cluster_blocks, 24u);
         set(cudaLaunchAttributeClusterDimension, 2, 1, 1);
         for (const unsigned each : {1, 0}) {
           set(cudaLaunchAttributeCooperative, each);
           set(cudaLaunchAttributeProgrammaticStreamSerialization, each);
           EXPECT_EQ(node->shape->is_cooperative, each != 0);
           EXPECT_EQ(node->shape->overlaps, each != 0);
         }
         cudaGraphInstantiateWithFlags(&executable, graph, 0);
         cudaGraphDestroy(graph);
         cudaGraphLaunch(executable, s);
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

/// What a program does between an operation of one stream and one of another.
struct between {
  const char* name;
  std::function<void(cudaStream_t first, cudaStream_t second)> perform;
  bool orders;
  bool meet_default = false;  ///< both streams
};

TEST_F(cuda_calls, order_what_they_say) {
  cudaEvent_t event = nullptr, early = nullptr;
  cudaEventCreate(&event);
  cudaEventCreate(&early);
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
           cudaGraphAddMemsetNode(node, graph, nullptr, 0, &same);
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
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(racing(told, 's').empty(), each.orders) << told;
    cudaDeviceSynchronize();
  }
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
  cudaEvent_t first = nullptr, second = nullptr;
  float ms = 0;
  cudaEventCreate(&first);
  cudaEventCreate(&second);
  cudaEventRecord(first, streams[0]);
  cudaEventRecord(second, streams[0]);
  EXPECT_EQ(cudaEventElapsedTime(&ms, first, second), cudaSuccess);
  EXPECT_GT(ms, 0);
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

/// The modelled GPU's, in both layouts of cudaDeviceProp and as an attribute; -1: none there.
struct property {
  int attribute, in_12, in_13;
  int value;
};
constexpr property properties[] = {
    {1, 320, 320, 1024},      {2, 324, 324, 1024},  {3, 328, 328, 1024},     {4, 332, 332, 64},
    {5, 336, 336, INT32_MAX}, {6, 340, 340, 65535}, {7, 344, 344, 65535},    {8, 296, 296, 232448},
    {9, 352, 352, 65536},     {10, 308, 308, 32},   {12, 304, 304, 65536},   {16, 388, 384, 4},
    {19, 400, 392, 1},        {31, 576, 560, 1},    {38, 616, 596, 2 << 20}, {39, 624, 604, 1024},
    {41, 604, 588, 1},        {75, 360, 360, 9},    {76, 364, 364, 0},       {81, 640, 624, 233472},
    {82, 648, 632, 65536},    {83, 652, 636, 1},    {89, 676, 656, 1},       {95, 688, 668, 1},
    {97, 696, 672, 232448},   {106, 712, 688, 16},  {111, 720, 696, 1024},   {120, 772, 748, 1},
    {13, -1, -1, 1000000},    {9999, -1, -1, 0}};

TEST_F(cuda_calls, describe_one_device) {
  std::array<byte, 1032> in_12{}, in_13{};
  in_12.fill(0xee);
  in_13.fill(0xee);
  ASSERT_EQ(cudaGetDeviceProperties_v2(in_12.data(), 0), cudaSuccess);
  ASSERT_EQ(cudaGetDeviceProperties(in_13.data(), 0), cudaSuccess);
  EXPECT_EQ(in_12.back(), 0);
  EXPECT_EQ(in_13[1008], 0xee);  // behind the properties
  EXPECT_STREQ(reinterpret_cast<const char*>(in_13.data()), "finesync host executor (compact)");
  const auto at = [](const auto& from, int offset) {
    int value = 0;
    std::memcpy(&value, &from.at(static_cast<std::size_t>(offset)), sizeof value);
    return value;
  };
  for (const property& each : properties) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, each.attribute, 0), cudaSuccess);
    EXPECT_EQ(value, each.value) << each.attribute;
    if (each.in_12 < 0) continue;
    EXPECT_EQ(at(in_12, each.in_12), each.value) << each.attribute;
    EXPECT_EQ(at(in_13, each.in_13), each.value) << each.attribute;
  }
  EXPECT_EQ(at(in_13, 292), 2);  // totalGlobalMem is 8 GiB
  EXPECT_EQ(at(in_12, 292), 2);

  int count = 0, current = -1, can = -1, least = -1, greatest = -1, priority = -1;
  std::size_t free = 0, total = 0;
  char bus[16] = {};
  cudaGetDeviceCount(&count);
  cudaGetDevice(&current);
  cudaDeviceCanAccessPeer(&can, 0, 1);
  cudaDeviceGetPCIBusId(bus, sizeof bus, 0);
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStreamGetPriority(nullptr, &priority);
  cudaMemGetInfo(&free, &total);
  EXPECT_EQ((std::vector{count, current, can, least, greatest, priority}),
            (std::vector{1, 0, 0, 0, 0, 0}));
  EXPECT_STREQ(bus, "0000:00:00.0");
  EXPECT_EQ(total, std::size_t{8} << 30);
  EXPECT_LE(free, total);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(cuda_calls, know_how_many_blocks_fit) {
  cudaFuncAttributes about{};
  EXPECT_EQ(cudaFuncGetAttributes(&about, &about), cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
  ASSERT_EQ(cudaFuncGetAttributes(&about, &shape_kernel), cudaSuccess);
  EXPECT_EQ(about.sharedSizeBytes, 4096u);
  EXPECT_EQ(about.maxThreadsPerBlock, 1024);
  EXPECT_EQ(about.maxDynamicSharedSizeBytes, 227 * 1024 - 4096);
  const auto blocks = [](int threads, std::size_t shared) {
    int found = -1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, &shape_kernel, threads, shared);
    return found;
  };
  EXPECT_EQ(blocks(32, 0), 16);
  EXPECT_EQ(blocks(300, 0), 3);
  EXPECT_EQ(blocks(32, 109 * 1024), 2);  // with 4 KiB of its own and one reserved
  EXPECT_EQ(blocks(32, 109 * 1024 + 1), 1);
  EXPECT_EQ(blocks(32, 224 * 1024), 0);
  cudaLaunchAttribute cluster{cudaLaunchAttributeClusterDimension, 0, {{3, 1, 1}}};
  const cudaLaunchConfig_t how{{12, 1, 1}, {10, 10, 3}, 0, nullptr, &cluster, 1};
  int clusters = -1;
  ASSERT_EQ(cudaOccupancyMaxActiveClusters(&clusters, &shape_kernel, &how), cudaSuccess);
  EXPECT_EQ(clusters, 4 * 3 / 3);
}

TEST_F(cuda_calls, know_their_memory) {
  void *pitched = nullptr, *managed = nullptr, *host = nullptr, *device = nullptr,
       *symbol = nullptr;
  std::size_t pitch = 0, size = 0;
  ASSERT_EQ(cudaMallocPitch(&pitched, &pitch, 513, 3), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 8, 1), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&host, 8, 0), cudaSuccess);
  ASSERT_EQ(cudaHostGetDevicePointer(&device, host, 0), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolAddress(&symbol, &table_variable), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolSize(&size, &table_variable), cudaSuccess);
  EXPECT_EQ(pitch, 1024u);
  EXPECT_EQ(size, bytes);
  EXPECT_EQ(device, host);
  EXPECT_EQ(cudaGetSymbolAddress(&device, &size), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetSymbolSize(&size, &size), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(&size, &size, 1, 0, 1), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyFromSymbol(&size, &size, 1, 0, 2), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMalloc(nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc(&device, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  cudaGetLastError();
  struct {
    const char* what;
    void* at;
    std::ptrdiff_t last;
    int type;
  } const places[] = {{"device", m.to, bytes - 1, cudaMemoryTypeDevice},
                      {"pitched", pitched, 3 * 1024 - 1, cudaMemoryTypeDevice},
                      {"managed", managed, 7, cudaMemoryTypeManaged},
                      {"host", host, 7, cudaMemoryTypeHost},
                      {"variable", symbol, bytes - 1, cudaMemoryTypeDevice},
                      {"managed variable", shared_table, 15, cudaMemoryTypeManaged},
                      {"stack", &size, 7, cudaMemoryTypeUnregistered}};
  for (const auto& each : places) {
    for (const std::ptrdiff_t offset : {std::ptrdiff_t{0}, each.last}) {
      const void* const at = static_cast<byte*>(each.at) + offset;
      cudaPointerAttributes about{-1, -2, nullptr, nullptr};
      ASSERT_EQ(cudaPointerGetAttributes(&about, at), cudaSuccess);
      const bool is_known = each.type != cudaMemoryTypeUnregistered;
      EXPECT_EQ(about.type, each.type) << each.what << offset;
      EXPECT_EQ(about.device, is_known ? 0 : -1) << each.what;
      EXPECT_EQ(about.devicePointer, is_known ? at : nullptr) << each.what;
      EXPECT_EQ(about.hostPointer, each.type == cudaMemoryTypeDevice ? nullptr : at) << each.what;
    }
  }
  EXPECT_EQ(std::count(static_cast<byte*>(shared_table), static_cast<byte*>(shared_table) + 16, 0),
            16);
  bool holds_all = false;
  cudart::on_device([&] {
    holds_all = simt::global_memory().holds(static_cast<byte*>(pitched) + 3 * 1024 - 4, 4);
  });
  EXPECT_TRUE(holds_all);
  cudaPointerAttributes behind{};
  for (void* const each : {managed, host}) {
    cudaPointerGetAttributes(&behind, static_cast<byte*>(each) + 8);
    EXPECT_EQ(behind.type, cudaMemoryTypeDevice);  // of no allocation
  }
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  cudaPointerGetAttributes(&behind, managed);
  EXPECT_EQ(behind.type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  EXPECT_EQ(cudaFree(pitched), cudaSuccess);
}

TEST(cuda_errors, have_names_and_texts_of_their_own) {
  std::set<std::string> names, texts;
  const cudaError_t all[] = {cudaSuccess,
                             cudaErrorInvalidValue,
                             cudaErrorMemoryAllocation,
                             cudaErrorInvalidConfiguration,
                             cudaErrorInvalidSymbol,
                             cudaErrorInvalidDeviceFunction,
                             cudaErrorInvalidDevice,
                             cudaErrorLaunchFailure,
                             cudaErrorCooperativeLaunchTooLarge,
                             static_cast<cudaError_t>(5)};
  for (const cudaError_t each : all) {
    names.insert(cudaGetErrorName(each));
    texts.insert(cudaGetErrorString(each));
  }
  EXPECT_EQ(names.size(), std::size(all));
  EXPECT_EQ(texts.size(), std::size(all));
}

}  // namespace

}  // namespace cudart_test::calls_test
