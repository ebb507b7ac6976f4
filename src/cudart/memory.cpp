// Memory: every kind of it is the executor's global memory, which the program may access as well.
#include <cudart/device.hpp>
#include <cudart/registry.hpp>
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
    if (is_ours) simt::global_memory().release(memory);
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

cudaError_t copy(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memmove(to, from, bytes);
  return state_of_device();
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i)
    std::memmove(static_cast<std::byte*>(to) + i * to_pitch,
                 static_cast<const std::byte*>(from) + i * from_pitch, width);
  return state_of_device();
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

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  return cudart::copy(to, from, bytes);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int, cudaStream_t) {
  return cudart::copy(to, from, bytes);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t rows, int) {
  return cudart::copy_rows(to, to_pitch, from, from_pitch, width, rows);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t rows, int,
                              cudaStream_t) {
  return cudart::copy_rows(to, to_pitch, from, from_pitch, width, rows);
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return cudart::state_of_device();
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  return cudaMemset(memory, value, bytes);
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
  return cudart::copy(at + offset, from, bytes);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, int) {
  const std::byte* const at = cudart::address_of_symbol(symbol);
  if (at == nullptr) return cudart::noted(cudaErrorInvalidSymbol);
  return cudart::copy(to, at + offset, bytes);
}
/// The program reads the variable by way of a pointer, which is set here.
void __cudaRegisterManagedVar(void** binary, void** host, char*, const char* name, int,
                              std::size_t bytes, int, int) {
  cudart::add_variable(host, {reinterpret_cast<cudart::loaded_binary*>(binary), name, bytes});
  *host = cudart::address_of_symbol(host);
}

}  // extern "C"
