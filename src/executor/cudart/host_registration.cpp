// SPDX-License-Identifier: Apache-2.0
// cudaHostRegister(): memory that the program has is mapped into the executor's global memory, too,
// so that kernels reach it by either address.
#include <cudart/device.hpp>
#include <cudart/host_accesses.hpp>
#include <cudart/host_registration.hpp>
#include <cudart/streams.hpp>
#include <simt/arena.hpp>

#include <sys/mman.h>

#include <cstring>
#include <iterator>
#include <map>

namespace cudart {

namespace {

struct registration {
  std::size_t bytes;
  std::byte* allocation;  ///< begins at the same place of a page as the memory
  std::byte* alias;
};

/// By their first byte. On the device's OS thread.
std::map<std::byte*, registration>& registrations() {
  static auto& known = *new std::map<std::byte*, registration>;
  return known;
}

std::byte* page_of(std::byte* address) {
  return address - reinterpret_cast<std::uintptr_t>(address) % page_bytes;
}

/// Maps the pages at the other place, too. \returns false if they cannot be.
bool map_twice(std::byte* pages, std::byte* also, std::size_t bytes) {
  if (bytes == 0) return true;
  const auto duplicate = [=] {  // of pages that are shared already
    return mremap(pages, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, also) != MAP_FAILED;
  };
  if (duplicate()) return true;
  void* const copy =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  std::memcpy(copy, pages, bytes);
  return mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages) != MAP_FAILED &&
         duplicate();
}

std::map<std::byte*, registration>::iterator registration_with(const std::byte* address) {
  const auto next = registrations().upper_bound(const_cast<std::byte*>(address));
  if (next == registrations().begin()) return registrations().end();
  const auto last = std::prev(next);
  return address < last->first + last->second.bytes ? last : registrations().end();
}

cudaError_t register_memory(std::byte* memory, std::size_t bytes) {
  const auto next = registrations().lower_bound(memory);
  const bool meets_next = next != registrations().end() && next->first < memory + bytes;
  if (meets_next || registration_with(memory) != registrations().end())
    return cudaErrorHostMemoryAlreadyRegistered;
  std::byte* const first = page_of(memory);
  std::byte* const last = page_of(memory + bytes - 1);
  const auto before = static_cast<std::size_t>(memory - first);
  static unsigned calls = 0;
  simt::label what;
  what.called = "memory of cudaHostRegister, call " + std::to_string(++calls);
  // Whole pages are taken, so that nothing else lies in them.
  const auto mapped = static_cast<std::size_t>(last - first) + page_bytes;
  simt::arena& arena = simt::global_memory();
  try {
    auto* const taken = static_cast<std::byte*>(
        arena.allocate(mapped, what, page_bytes, simt::arena::content::zeros));
    // Its edges may be shared with a neighbour that is registered.
    const std::size_t edge = std::min(mapped, page_bytes);
    const std::size_t middle = mapped > 2 * page_bytes ? mapped - 2 * page_bytes : 0;
    const bool done = map_twice(first, taken, edge) &&
                      map_twice(first + edge, taken + edge, middle) &&
                      (first == last || map_twice(last, taken + edge + middle, page_bytes));
    if (!done) {
      arena.release(taken);
      return cudaErrorInvalidValue;
    }
    arena.cut(taken, before + bytes);
    registrations()[memory] = {bytes, taken, taken + before};
    arena.add_alias(memory, bytes, taken + before);
  } catch (const simt::out_of_memory&) {
    return cudaErrorMemoryAllocation;
  }
  return cudaSuccess;
}

cudaError_t unregister(std::byte* memory) {
  const auto known = registrations().find(memory);
  if (known == registrations().end()) return cudaErrorHostMemoryNotRegistered;
  simt::arena& arena = simt::global_memory();
  const registration& one = known->second;
  overlaps().forget(
      byte_range::right_open(arena.offset(one.alias), arena.offset(one.alias) + one.bytes));
  arena.remove_alias(memory);
  // The place in the arena is memory of its own again.
  std::byte* const last = page_of(one.alias + one.bytes - 1);
  mmap(one.allocation, static_cast<std::size_t>(last - one.allocation) + page_bytes,
       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  arena.release(one.allocation);
  registrations().erase(known);
  return cudaSuccess;
}

}  // namespace

void* device_pointer_of(const void* host) {
  const auto* const at = static_cast<const std::byte*>(host);
  const auto known = registration_with(at);
  return known == registrations().end() ? nullptr : known->second.alias + (at - known->first);
}

}  // namespace cudart

extern "C" {

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  if (memory == nullptr || bytes == 0) return cudart::noted(cudaErrorInvalidValue);
  cudaError_t result = cudaSuccess;
  cudart::on_device(
      [&] { result = cudart::register_memory(static_cast<std::byte*>(memory), bytes); });
  return cudart::noted(result);
}
cudaError_t cudaHostUnregister(void* memory) {
  cudaError_t result = cudaSuccess;
  cudart::on_device([&] { result = cudart::unregister(static_cast<std::byte*>(memory)); });
  return cudart::noted(result);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  cudart::on_device([&] {
    if (void* const found = cudart::device_pointer_of(host)) *device = found;
  });
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  *flags = 2;  // cudaHostAllocMapped, as all such memory is
  return cudaSuccess;
}

}  // extern "C"
