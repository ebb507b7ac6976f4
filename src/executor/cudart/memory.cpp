// SPDX-License-Identifier: Apache-2.0
// Memory: every kind of it is the executor's global memory, which the program may access as well.
#include <cudart/copies.hpp>
#include <cudart/device.hpp>
#include <cudart/graphs.hpp>
#include <cudart/host_accesses.hpp>
#include <cudart/host_registration.hpp>
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

/// What all pools together keep: they are one. On the device's OS thread.
struct {
  std::uint64_t release_threshold = 0;
  std::uint64_t most_used = 0;
} pool;
std::uint64_t used_bytes() {
  return device_memory_bytes - bytes_of_driver - free_bytes();
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
      pool.most_used = std::max(pool.most_used, used_bytes());
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

}  // namespace

int type_of(const void* pointer) {
  if (!simt::global_memory().contains(pointer)) return cudaMemoryTypeUnregistered;
  if (const auto next = allocations().upper_bound(pointer); next != allocations().begin()) {
    const auto& [begin, known] = *std::prev(next);
    if (pointer < static_cast<const std::byte*>(begin) + known.bytes) return known.type;
  }
  const bool is_managed =
      boost::icl::contains(overlaps().shared_with_host(), simt::global_memory().offset(pointer));
  return is_managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;  // a variable
}

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
cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent all) {
  *memory = {nullptr, 0, all.width, all.height};
  return cudaMallocPitch(&memory->ptr, &memory->pitch, all.width, all.height * all.depth);
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
/// An operation of the stream, as if it wrote all of the memory.
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  const cudart::call how = FINESYNC_CALL(cudart::meant(stream), true);
  return cudart::release(memory, [&](std::size_t bytes) {
    cudart::note_there(how, how.stream, {memory, bytes, nullptr, 0, bytes, 1});
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* about, const void* pointer) {
  int type = cudaMemoryTypeUnregistered;
  void* of_device = const_cast<void*>(pointer);
  cudart::on_device([&] {
    void* const registered = cudart::device_pointer_of(pointer);
    type = registered == nullptr ? cudart::type_of(pointer) : cudaMemoryTypeHost;
    if (registered != nullptr) of_device = registered;
  });
  const bool is_known = type != cudaMemoryTypeUnregistered;
  about->type = type;
  about->device = is_known ? 0 : -1;
  about->devicePointer = is_known ? of_device : nullptr;
  about->hostPointer = type == cudaMemoryTypeDevice ? nullptr : const_cast<void*>(pointer);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  cudart::on_device([&] { *free = cudart::free_bytes(); });
  *total = cudart::device_memory_bytes;
  return cudaSuccess;
}

/// Of one of cudaMemPoolAttr.
cudaError_t cudaMemPoolGetAttribute(void*, int which, void* value) {
  constexpr int release_threshold = 4, reserved_most = 6, used_most = 8;
  if (which < 1 || which > used_most) return cudart::noted(cudaErrorInvalidValue);
  if (which < release_threshold) {  // what it reuses
    *static_cast<int*>(value) = 1;
    return cudaSuccess;
  }
  cudart::on_device([&] {
    const bool is_most = which == reserved_most || which == used_most;
    *static_cast<std::uint64_t*>(value) = which == release_threshold
                                              ? cudart::pool.release_threshold
                                          : is_most ? cudart::pool.most_used
                                                    : cudart::used_bytes();
  });
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(void*, int which, const void* value) {
  constexpr int release_threshold = 4;
  if (which == release_threshold)
    cudart::pool.release_threshold = *static_cast<const std::uint64_t*>(value);
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
/// The program reads the variable by way of a pointer, which is set here.
void __cudaRegisterManagedVar(void** binary, void** host, char*, const char* name, int,
                              std::size_t bytes, int, int) {
  cudart::add_variable(host, {reinterpret_cast<cudart::loaded_binary*>(binary), name, bytes});
  *host = cudart::address_of_symbol(host);
  cudart::on_device([&] { cudart::share_with_host(*host, bytes); });
}

}  // extern "C"
