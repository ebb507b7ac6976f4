// Memory and streams for tests of the runtime's functions, and who is taken to touch which bytes.
#pragma once

#include <cudart/device.hpp>
#include <cudart/graphs.hpp>
#include <cudart/streams.hpp>
#include <simt/arena.hpp>

#include <gtest/gtest.h>
#include <tests/executor/cudart/runtime.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace cudart_test {

constexpr std::string_view module_of_calls = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .b8 table[64];
.visible .global .align 8 .b8 shared_table[16];
.visible .global .align 8 .u64 pointer = table+4;
.extern .global .align 4 .u32 elsewhere;

// Does nothing, in clusters of two by two blocks.
.visible .entry boxes(.param .u64 out)
.explicitcluster
.reqnctapercluster 2, 2, 1
{
	ret;
}

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

inline const char shape_kernel = 0, boxes_kernel = 0;
inline char table_variable = 0, pointer_variable = 0, external_variable = 0;
inline void* shared_table = nullptr;

constexpr std::size_t bytes = 64;
using byte = unsigned char;

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

class cuda_calls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const registered_module program(module_of_calls);
    program.kernel(&shape_kernel, "shape");
    program.kernel(&boxes_kernel, "boxes");
    program.variable(&table_variable, "table", bytes);
    program.variable(&pointer_variable, "pointer", 8);
    program.variable(&external_variable, "elsewhere", 4);
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
  static std::set<const void*> racing(const std::string& reported, char name) {
    std::set<const void*> found;
    std::istringstream lines(reported);
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

  memory m{};

 private:
  inline static unsigned touches_ = 0;
  std::array<std::array<byte, bytes>, 2> host_{};
};

/// Launches a graph to which add(node, graph, after) adds one; it begins with an empty node.
template <class Add>
cudaError_t launch_graph(cudaStream_t in, const Add& add) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphNode_t empty = nullptr, node = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddEmptyNode(&empty, graph, nullptr, 0);
  EXPECT_EQ(add(&node, graph, &empty), cudaSuccess);
  cudaGraphInstantiateWithFlags(&executable, graph, 0);
  return cudaGraphLaunch(executable, in);
}

}  // namespace cudart_test
