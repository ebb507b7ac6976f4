// SPDX-License-Identifier: Apache-2.0
// Copies and memsets, and the calls and nodes of graphs that do them.
#include <cudart/copies.hpp>
#include <cudart/device.hpp>
#include <cudart/findings.hpp>
#include <cudart/graphs.hpp>
#include <cudart/registry.hpp>
#include <cudart/streams.hpp>
#include <simt/arena.hpp>

#include <cstring>

namespace cudart {

namespace {

bool is_device(const void* memory) {
  return simt::global_memory().contains(memory);
}

}  // namespace

void note_there(const call& how, cudaStream_t in, const rows& what) {
  accesses done;
  const auto add = [&](bool writes, const void* memory, std::size_t pitch) {
    if (!is_device(memory)) return;
    for (std::size_t i = 0; i < what.count; ++i) {
      const std::uint64_t begin = simt::global_memory().offset(memory) + i * pitch;
      done[{.writes = writes}] += byte_range::right_open(begin, begin + what.width);
    }
  };
  add(true, what.to, what.to_pitch);
  add(false, what.from, what.from_pitch);
  const std::uint32_t stream = number_of(in);
  overlaps().add({.text = how.function, .kernel = {}, .from = how.from}, stream, done);
  const auto is_of_host = [](const void* memory) {
    const byte_set& shared = overlaps().shared_with_host();
    return !is_device(memory) || boost::icl::contains(shared, simt::global_memory().offset(memory));
  };
  const bool concerns_host = is_of_host(what.to) || (what.from != nullptr && is_of_host(what.from));
  if (concerns_host && !how.is_asynchronous) overlaps().order.host_waits_for_stream(stream);
}

namespace {

/// On the device's OS thread.
void note_bytes(const rows& what) {
  simt::arena& device = simt::global_memory();
  if (!is_device(what.to)) return;
  for (std::size_t i = 0; i < what.count; ++i) {
    const auto row = [i](const void* first, std::size_t pitch) {
      return static_cast<const std::byte*>(first) + i * pitch;
    };
    if (what.from != nullptr && is_device(what.from))
      device.note_copy(row(what.to, what.to_pitch), row(what.from, what.from_pitch), what.width);
    else
      device.note_set(row(what.to, what.to_pitch), what.width);
  }
}

cudaError_t note(const call& how, cudaStream_t in, const rows& what) {
  on_device([&] {
    note_bytes(what);
    note_there(how, in, what);
  });
  return state_of_device();
}

work copying(const call& how, const rows& what) {
  return [=](cudaStream_t stream) {
    if (what.width == 0 || what.count == 0) return state_of_device();
    if (const cudaError_t error = checked_move(how, what)) return noted(error);
    return note(how, stream, what);
  };
}

cudaError_t copy(const call& how, const rows& what) {
  return perform(how.stream, copying(how, what));
}

cudaError_t copy(const call& how, void* to, const void* from, std::size_t bytes, int kind) {
  return copy(how, rows{to, bytes, from, bytes, bytes, 1, kind});
}

/// Where a byte of the variable would be, also beyond its end.
std::byte* past(std::byte* variable, std::size_t offset) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(variable) + offset);
}

cudaError_t copy_to_symbol(const call& how, const void* symbol, const void* from, std::size_t bytes,
                           std::size_t offset, int kind) {
  std::byte* const at = address_of_symbol(symbol);
  if (at == nullptr) return noted(cudaErrorInvalidSymbol);
  return copy(how, {past(at, offset), bytes, from, bytes, bytes, 1, kind, at, nullptr});
}

cudaError_t copy_from_symbol(const call& how, void* to, const void* symbol, std::size_t bytes,
                             std::size_t offset, int kind) {
  std::byte* const at = address_of_symbol(symbol);
  if (at == nullptr) return noted(cudaErrorInvalidSymbol);
  return copy(how, {to, bytes, past(at, offset), bytes, bytes, 1, kind, nullptr, at});
}

/// \param bytes of an element: the low ones of the value.
work setting(const call& how, unsigned value, std::size_t bytes, const rows& what) {
  return [=](cudaStream_t stream) {
    if (what.width == 0 || what.count == 0) return state_of_device();
    if (const cudaError_t error = checked_memset(how, what)) return noted(error);
    for (std::size_t i = 0; i < what.count; ++i) {
      std::byte* const row = static_cast<std::byte*>(what.to) + i * what.to_pitch;
      if (bytes == 1) std::memset(row, static_cast<int>(value), what.width);
      for (std::size_t at = 0; bytes != 1 && at < what.width; at += bytes)
        std::memcpy(row + at, &value, bytes);
    }
    return note(how, stream, what);
  };
}

/// The same for each slice.
template <class Begin>
work of_slices(std::size_t count, const Begin& begin) {
  return [=](cudaStream_t stream) {
    for (std::size_t z = 0; z < count; ++z)
      if (const cudaError_t error = begin(z)(stream)) return error;
    return state_of_device();
  };
}

std::byte* row_of(const cudaPitchedPtr& in, const cudaPos& at, std::size_t slice) {
  return past(static_cast<std::byte*>(in.ptr),
              at.x + in.pitch * (at.y + in.ysize * (at.z + slice)));
}

work copying_slices(const call& how, const cudaMemcpy3DParms& what) {
  if (what.srcArray != nullptr || what.dstArray != nullptr)
    refuse("copies of arrays are not supported: see docs/check/check.md for what is");
  return of_slices(what.extent.depth, [=](std::size_t z) {
    return copying(how, {row_of(what.dstPtr, what.dstPos, z), what.dstPtr.pitch,
                         row_of(what.srcPtr, what.srcPos, z), what.srcPtr.pitch, what.extent.width,
                         what.extent.height, what.kind});
  });
}

cudaError_t set_slices(const call& how, int value, const cudaPitchedPtr& memory,
                       const cudaExtent& all) {
  return perform(how.stream, of_slices(all.depth, [=](std::size_t z) {
                   return setting(
                       how, static_cast<unsigned>(value), 1,
                       {row_of(memory, {}, z), memory.pitch, nullptr, 0, all.width, all.height});
                 }));
}

cudaError_t set(const call& how, int value, const rows& what) {
  return perform(how.stream, setting(how, static_cast<unsigned>(value), 1, what));
}

cudaError_t set(const call& how, void* memory, int value, std::size_t bytes) {
  return set(how, value, {memory, bytes, nullptr, 0, bytes, 1});
}

}  // namespace

}  // namespace cudart

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return cudart::copy(FINESYNC_CALL(), to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind,
                            cudaStream_t stream) {
  return cudart::copy(FINESYNC_CALL(stream, true), to, from, bytes, kind);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t rows, int kind) {
  return cudart::copy(FINESYNC_CALL(), {to, to_pitch, from, from_pitch, width, rows, kind});
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t rows, int kind,
                              cudaStream_t stream) {
  return cudart::copy(FINESYNC_CALL(stream, true),
                      {to, to_pitch, from, from_pitch, width, rows, kind});
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return cudart::set(FINESYNC_CALL(), memory, value, bytes);
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return cudart::set(FINESYNC_CALL(stream, true), memory, value, bytes);
}
cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int value, std::size_t width,
                         std::size_t rows) {
  return cudart::set(FINESYNC_CALL(), value, {memory, pitch, nullptr, 0, width, rows});
}
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int value, std::size_t width,
                              std::size_t rows, cudaStream_t stream) {
  return cudart::set(FINESYNC_CALL(stream, true), value, {memory, pitch, nullptr, 0, width, rows});
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* what) {
  return cudart::perform(nullptr, cudart::copying_slices(FINESYNC_CALL(), *what));
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* what, cudaStream_t stream) {
  return cudart::perform(stream, cudart::copying_slices(FINESYNC_CALL(stream, true), *what));
}
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent all) {
  return cudart::set_slices(FINESYNC_CALL(), value, memory, all);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent all,
                              cudaStream_t stream) {
  return cudart::set_slices(FINESYNC_CALL(stream, true), value, memory, all);
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemcpy3DParms* what) {
  *node = &cudart::add_node(*graph, after, count,
                            cudart::copying_slices(FINESYNC_CALL(nullptr, true), *what));
  return cudaSuccess;
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, int kind) {
  std::byte* const at = cudart::address_of_symbol(symbol);
  if (at == nullptr) return cudart::noted(cudaErrorInvalidSymbol);
  *node = &cudart::add_node(
      *graph, after, count,
      cudart::copying(FINESYNC_CALL(nullptr, true),
                      {cudart::past(at, offset), bytes, from, bytes, bytes, 1, kind, at, nullptr}));
  return cudaSuccess;
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, std::size_t count,
                                             void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, int kind) {
  std::byte* const at = cudart::address_of_symbol(symbol);
  if (at == nullptr) return cudart::noted(cudaErrorInvalidSymbol);
  *node = &cudart::add_node(
      *graph, after, count,
      cudart::copying(FINESYNC_CALL(nullptr, true),
                      {to, bytes, cudart::past(at, offset), bytes, bytes, 1, kind, nullptr, at}));
  return cudaSuccess;
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, int kind) {
  *node = &cudart::add_node(
      *graph, after, count,
      cudart::copying(FINESYNC_CALL(nullptr, true), {to, bytes, from, bytes, bytes, 1, kind}));
  return cudaSuccess;
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemsetParams* what) {
  const std::size_t width = what->width * what->elementSize;
  *node = &cudart::add_node(
      *graph, after, count,
      cudart::setting(FINESYNC_CALL(nullptr, true), what->value, what->elementSize,
                      {what->dst, what->pitch, nullptr, 0, width, what->height}));
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, int kind) {
  return cudart::copy_to_symbol(FINESYNC_CALL(), symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, int kind, cudaStream_t stream) {
  return cudart::copy_to_symbol(FINESYNC_CALL(stream, true), symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, int kind) {
  return cudart::copy_from_symbol(FINESYNC_CALL(), to, symbol, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, int kind, cudaStream_t stream) {
  return cudart::copy_from_symbol(FINESYNC_CALL(stream, true), to, symbol, bytes, offset, kind);
}
}  // extern "C"
