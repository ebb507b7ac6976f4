// SPDX-License-Identifier: Apache-2.0
// Memory: every kind of it is the executor's global memory, which the program may access as well.
#include <cudart/copies.hpp>
#include <cudart/device.hpp>
#include <cudart/graphs.hpp>
#include <cudart/host_accesses.hpp>
#include <cudart/per_thread.hpp>
#include <cudart/registry.hpp>
#include <cudart/streams.hpp>
#include <simt/arena.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <vector>

namespace cudart {

namespace {

std::string ordinal(unsigned number) {
  const unsigned tens = number % 100;
  const unsigned ones = tens >= 11 && tens <= 13 ? 0 : number % 10;
  return fmt::format("{}{}", number, ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th");
}

struct allocation {
  std::size_t bytes;
  int type;  ///< as in cudaPointerAttributes
};

/// What programs have allocated. On the device's OS thread.
std::map<const void*, allocation>& allocations() {
  static auto& known = *new std::map<const void*, allocation>;
  return known;
}

/// What a GPU's driver takes for itself; here variables and kernels' own allocations.
constexpr std::size_t bytes_of_driver = std::size_t{256} << 20;

/// What is left of the device's own memory for cudaMalloc(). On the device's OS thread.
std::size_t& free_bytes() {
  static std::size_t left = device_memory_bytes - bytes_of_driver;
  return left;
}

/// What an allocation takes of it. Other memory is the host's, or moves there.
std::size_t device_bytes_of(const allocation& one) {
  constexpr std::size_t unit = 512;
  if (one.type != cudaMemoryTypeDevice) return 0;
  return (std::max<std::size_t>(one.bytes, 1) + unit - 1) / unit * unit;
}

/// Reports call the memory by the function and the number of its call.
cudaError_t allocate(void** memory, std::size_t bytes, const char* function,
                     int type = cudaMemoryTypeDevice) {
  const bool shared = type != cudaMemoryTypeDevice;
  if (memory == nullptr) return noted(cudaErrorInvalidValue);
  cudaError_t result = cudaSuccess;
  on_device([&] {
    static std::map<std::string, unsigned> calls;
    simt::label what;
    what.called = fmt::format("{} {}", ordinal(++calls[function]), function);
    const allocation made{bytes, type};
    if (!shared && (bytes > free_bytes() || device_bytes_of(made) > free_bytes())) {
      result = cudaErrorMemoryAllocation;
      return;
    }
    try {
      using enum simt::arena::content;
      *memory = simt::global_memory().allocate(bytes == 0 ? 1 : bytes, what,
                                               shared ? page_bytes : simt::arena::granule,
                                               settings_of_run().zeroed_memory ? zeros : garbage);
      allocations()[*memory] = made;
      free_bytes() -= device_bytes_of(made);
      if (shared) share_with_host(*memory, bytes);
      // What the host writes is not seen.
      if (!settings_of_run().zeroed_memory && !shared) simt::global_memory().watch(*memory);
    } catch (const simt::out_of_memory&) {
      result = cudaErrorMemoryAllocation;
    }
  });
  return noted(result);
}

/// \param order what is to be done before, on the device's OS thread, with the number of its bytes.
template <class Order>
cudaError_t release(void* memory, const Order& order) {
  bool is_ours = true;
  on_device([&] {
    const auto known = allocations().find(memory);
    is_ours = memory == nullptr || known != allocations().end();
    if (!is_ours) return;
    order(memory == nullptr ? 0 : known->second.bytes);
    close_to_host();
    if (memory == nullptr) return;
    // Its offsets may be used again.
    const std::uint64_t begin = simt::global_memory().offset(memory);
    overlaps().forget(byte_range::right_open(begin, begin + known->second.bytes));
    free_bytes() += device_bytes_of(known->second);
    allocations().erase(known);
    unshare_with_host(memory);
    simt::global_memory().release(memory);
  });
  return is_ours ? state_of_device() : noted(cudaErrorInvalidValue);
}

cudaError_t release(void* memory) {
  return release(memory, [](std::size_t) { overlaps().order.host_waits_for_all(); });
}

std::byte* address_of_symbol(const void* host) {
  const registered_name* const which = variable_at(host);
  if (which == nullptr) return nullptr;
  std::byte* at = nullptr;
  on_device([&] { at = which->binary->variable(which->name); });
  return at;
}

bool is_device(const void* memory) {
  return simt::global_memory().contains(memory);
}

}  // namespace

int type_of(const void* pointer) {
  if (!is_device(pointer)) return cudaMemoryTypeUnregistered;
  if (const auto next = allocations().upper_bound(pointer); next != allocations().begin()) {
    const auto& [begin, known] = *std::prev(next);
    if (pointer < static_cast<const std::byte*>(begin) + known.bytes) return known.type;
  }
  const bool is_managed =
      boost::icl::contains(overlaps().shared_with_host(), simt::global_memory().offset(pointer));
  return is_managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;  // a variable
}

namespace {

/// Notes a copy or a memset, on the device's OS thread. The host waits for the end of those that
/// concern its memory, unless they are asynchronous ("API synchronization behavior" of CUDA's
/// manual).
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

cudaError_t set(const call& how, int value, const rows& what) {
  return perform(how.stream, setting(how, static_cast<unsigned>(value), 1, what));
}

cudaError_t set(const call& how, void* memory, int value, std::size_t bytes) {
  return set(how, value, {memory, bytes, nullptr, 0, bytes, 1});
}

}  // namespace

}  // namespace cudart

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return cudart::allocate(memory, bytes, "cudaMalloc");
}
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t) {
  return cudart::allocate(memory, bytes, "cudaMallocAsync");
}
cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, void*, cudaStream_t) {
  return cudart::allocate(memory, bytes, "cudaMallocFromPoolAsync");
}
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned) {
  return cudart::allocate(memory, bytes, "cudaMallocManaged", cudaMemoryTypeManaged);
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return cudart::allocate(memory, bytes, "cudaMallocHost", cudaMemoryTypeHost);
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return cudart::allocate(memory, bytes, "cudaHostAlloc", cudaMemoryTypeHost);
}
cudaError_t cudaMallocPitch(void** memory, std::size_t* pitch, std::size_t width,
                            std::size_t rows) {
  constexpr std::size_t line = 512;
  *pitch = (width + line - 1) / line * line;
  return cudart::allocate(memory, *pitch * rows, "cudaMallocPitch");
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  return cudart::release(memory);
}
cudaError_t cudaFreeHost(void* memory) {
  return cudart::release(memory);
}
cudaError_t cudaDeviceReset() {
  std::vector<void*> all;
  cudart::on_device([&] {
    for (const auto& [memory, known] : cudart::allocations())
      all.push_back(const_cast<void*>(memory));
  });
  for (void* const each : all) cudart::release(each);
  return cudaSuccess;
}
// A call's place is that of the function that programs call.
#define FINESYNC_CALL(...) \
  { __func__, cudart::place_of_call(__builtin_return_address(0)) __VA_OPT__(, ) __VA_ARGS__ }

/// An operation of the stream, as if it wrote all of the memory.
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  const cudart::call how = FINESYNC_CALL(cudart::meant(stream), true);
  return cudart::release(memory, [&](std::size_t bytes) {
    cudart::note_there(how, how.stream, {memory, bytes, nullptr, 0, bytes, 1});
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* about, const void* pointer) {
  int type = cudaMemoryTypeUnregistered;
  cudart::on_device([&] { type = cudart::type_of(pointer); });
  const bool is_known = type != cudaMemoryTypeUnregistered;
  about->type = type;
  about->device = is_known ? 0 : -1;
  about->devicePointer = is_known ? const_cast<void*>(pointer) : nullptr;
  about->hostPointer = type == cudaMemoryTypeDevice ? nullptr : const_cast<void*>(pointer);
  return cudaSuccess;
}

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
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  cudart::on_device([&] { *free = cudart::free_bytes(); });
  *total = cudart::device_memory_bytes;
  return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  *address = cudart::address_of_symbol(symbol);
  return *address == nullptr ? cudart::noted(cudaErrorInvalidSymbol) : cudaSuccess;
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  const cudart::registered_name* const which = cudart::variable_at(symbol);
  if (which == nullptr) return cudart::noted(cudaErrorInvalidSymbol);
  *bytes = which->bytes;
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
/// The program reads the variable by way of a pointer, which is set here.
void __cudaRegisterManagedVar(void** binary, void** host, char*, const char* name, int,
                              std::size_t bytes, int, int) {
  cudart::add_variable(host, {reinterpret_cast<cudart::loaded_binary*>(binary), name, bytes});
  *host = cudart::address_of_symbol(host);
  cudart::on_device([&] { cudart::share_with_host(*host, bytes); });
}

}  // extern "C"
