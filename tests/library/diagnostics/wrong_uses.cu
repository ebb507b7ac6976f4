// Uses that the compiler must refuse with one error each, which stands above it (check_errors.py).
#include <finesync/device/atomic_value.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/launch_graph.cuh>

#include <string>

namespace finesync {
namespace {

__global__ void kernel(cell<unsigned>*, unsigned) {}

struct three_words {
  std::uint64_t words[3];
};

[[maybe_unused]] void launches(cell<unsigned>* words, launch_graph& graph) {
  // error: the launch passes more or fewer arguments than its kernel takes
  launch_cooperative(kernel, {}, words);
  // error: the launch passes more or fewer arguments than its kernel takes
  launch_independent(stream(), kernel, {}, words, 1u, 2u);
  // error: the launch passes more or fewer arguments than its kernel takes
  launch_cooperative(graph, kernel, {});
  // error: an argument of the launch does not convert to its kernel's parameter
  launch_cooperative(kernel, {}, 1u, words);
}

// error: a buffer holds bytes that a kernel can copy: its type must be trivially copyable
[[maybe_unused]] buffer<std::string> texts;
// error: a cell is one access: its type must be trivially copyable, of at most 16 bytes
[[maybe_unused]] cell<three_words> large;

[[maybe_unused]] void atomics(cell<float>& number, cell<unsigned char>* bytes, cell<bool>& flag,
                              cell<short>& half) {
  // error: atomic_ref takes integers of 32 and 64 bits; device/atomic_value.cuh adds more
  atomic_ref<short, scope::device>(half).load(memory_order::relaxed);
  // error: hardware adds integers, and float and double in device memory: take device or system
  atomic_ref<float, scope::block>(number).fetch_add(1.0f, memory_order::relaxed);
  // error: hardware only loads and stores bytes: keep it in 32 bits
  atomic_ref<bool, scope::device>(flag).exchange(true, memory_order::relaxed);
  // error: the host executor has this atomic function for integers
  atomicMax(&number, 1.0f);
  // error: the host executor has CUDA's atomic functions for numbers of 32 and 64 bits
  atomicExch(bytes, 1);
}

[[maybe_unused]] void variables() {
  // error: the host executor has no __shared__: use finesync's shared_storage<Type>()
  [[maybe_unused]] __shared__ unsigned tile[32];
  // error: the host executor has no __shared__: use finesync's shared_storage<Type>()
  extern __shared__ unsigned tiles[];
}
// error: the host executor has no __constant__: pass a kernel parameter
[[maybe_unused]] __constant__ unsigned table[32];
// error: the host executor has no __managed__: use finesync's buffer<Type>
[[maybe_unused]] __managed__ unsigned both;

}  // namespace
}  // namespace finesync
