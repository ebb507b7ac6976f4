// Memory: every kind of it is the executor's global memory, which the program may access as well.
#include <cudart/device.hpp>
#include <cudart/registry.hpp>
#include <cudart/streams.hpp>
#include <simt/arena.hpp>

#include <fmt/format.h>

#include <cstring>
#include <map>

namespace cudart {

namespace {

std::string ordinal(unsigned number) {
  const unsigned tens = number % 100;
  const unsigned ones = tens >= 11 && tens <= 13 ? 0 : number % 10;
  return fmt::format("{}{}", number, ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th");
}

/// Reports call the memory by the function and the number of its call.
cudaError_t allocate(void** memory, std::size_t bytes, const char* function) {
  if (memory == nullptr) return noted(cudaErrorInvalidValue);
  cudaError_t result = cudaSuccess;
  on_device([&] {
    static std::map<std::string, unsigned> calls;
    simt::label what;
    what.called = fmt::format("{} {}", ordinal(++calls[function]), function);
    try {
      *memory = simt::global_memory().allocate(bytes == 0 ? 1 : bytes, what);
      if (settings_of_run().zeroed_memory) std::memset(*memory, 0, bytes);
    } catch (const simt::out_of_memory&) {
      result = cudaErrorMemoryAllocation;
    }
  });
  return noted(result);
}

cudaError_t release(void* memory) {
  bool is_ours = true;
  on_device([&] {
    is_ours = memory == nullptr || simt::global_memory().holds(memory, 1);
    if (!is_ours) return;
    overlaps()
        .order.host_waits_for_all();  // as cudaFree does, so that its offsets may be used again
    simt::global_memory().release(memory);
  });
  return is_ours ? state_of_device() : noted(cudaErrorInvalidValue);
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

/// How an operation is called and ordered.
struct call {
  const char* function;
  const void* from;  ///< where the program calls it
  cudaStream_t stream = nullptr;
  bool is_asynchronous = false;
};

/// Rows of bytes that are written, and those that are read, null if none are.
struct rows {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch;
  std::size_t width;
  std::size_t count;
};

/// Notes a copy or a memset. Those between host and device have an end that the host waits for,
/// unless they are asynchronous.
cudaError_t note(const call& how, const rows& what) {
  on_device([&] {
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
    const std::uint32_t stream = number_of(how.stream);
    overlaps().add({.text = how.function, .kernel = {}, .from = how.from}, stream, done);
    const bool is_within_device = is_device(what.to) && is_device(what.from);
    const bool is_copy = what.from != nullptr;
    if (is_copy && !how.is_asynchronous && !is_within_device)
      overlaps().order.host_waits_for_stream(stream);
  });
  return state_of_device();
}

cudaError_t copy(const call& how, const rows& what) {
  for (std::size_t i = 0; i < what.count; ++i)
    std::memmove(static_cast<std::byte*>(what.to) + i * what.to_pitch,
                 static_cast<const std::byte*>(what.from) + i * what.from_pitch, what.width);
  return note(how, what);
}

cudaError_t copy(const call& how, void* to, const void* from, std::size_t bytes) {
  return bytes == 0 ? state_of_device() : copy(how, {to, bytes, from, bytes, bytes, 1});
}

cudaError_t set(const call& how, void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return note(how, {memory, bytes, nullptr, 0, bytes, 1});
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
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned) {
  return cudart::allocate(memory, bytes, "cudaMallocManaged");
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return cudart::allocate(memory, bytes, "cudaMallocHost");
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return cudart::allocate(memory, bytes, "cudaHostAlloc");
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
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  return cudart::release(memory);
}

// A call's place is that of the function that programs call.
#define FINESYNC_CALL(...) \
  { __func__, __builtin_return_address(0) __VA_OPT__(, ) __VA_ARGS__ }

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  return cudart::copy(FINESYNC_CALL(), to, from, bytes);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int,
                            cudaStream_t stream) {
  return cudart::copy(FINESYNC_CALL(stream, true), to, from, bytes);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t rows, int) {
  return cudart::copy(FINESYNC_CALL(), {to, to_pitch, from, from_pitch, width, rows});
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t rows, int,
                              cudaStream_t stream) {
  return cudart::copy(FINESYNC_CALL(stream, true), {to, to_pitch, from, from_pitch, width, rows});
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return cudart::set(FINESYNC_CALL(), memory, value, bytes);
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return cudart::set(FINESYNC_CALL(stream, true), memory, value, bytes);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{8} << 30;
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
                               std::size_t offset, int) {
  std::byte* const at = cudart::address_of_symbol(symbol);
  if (at == nullptr) return cudart::noted(cudaErrorInvalidSymbol);
  return cudart::copy(FINESYNC_CALL(), at + offset, from, bytes);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, int) {
  const std::byte* const at = cudart::address_of_symbol(symbol);
  if (at == nullptr) return cudart::noted(cudaErrorInvalidSymbol);
  return cudart::copy(FINESYNC_CALL(), to, at + offset, bytes);
}
/// The program reads the variable by way of a pointer, which is set here.
void __cudaRegisterManagedVar(void** binary, void** host, char*, const char* name, int,
                              std::size_t bytes, int, int) {
  cudart::add_variable(host, {reinterpret_cast<cudart::loaded_binary*>(binary), name, bytes});
  *host = cudart::address_of_symbol(host);
}

}  // extern "C"
