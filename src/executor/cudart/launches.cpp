// SPDX-License-Identifier: Apache-2.0
// Launches: what a program launches, and the calls that do.
#include <cudart/coverage.hpp>
#include <cudart/device.hpp>
#include <cudart/fat_binary.hpp>
#include <cudart/findings.hpp>
#include <cudart/graphs.hpp>
#include <cudart/last_words.hpp>
#include <cudart/launch_limits.hpp>
#include <cudart/per_thread.hpp>
#include <cudart/refused_launches.hpp>
#include <cudart/registry.hpp>
#include <cudart/streams.hpp>
#include <simt/arena.hpp>
#include <simt/launch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <cxxabi.h>

namespace cudart {

namespace {

/// "reduce<int, 256>" for the mangled name of a kernel: without its result and parameters.
std::string source_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return mangled;
  std::string whole = name.get();
  std::size_t open = whole.size();
  for (int depth = 0; open > 0 && whole.back() == ')';) {
    const char c = whole[--open];
    depth += c == ')' ? 1 : c == '(' ? -1 : 0;
    if (depth == 0) break;
  }
  whole.resize(open);
  const std::string_view result = "void ";  // demangled instances of templates have it
  return whole.starts_with(result) ? whole.substr(result.size()) : whole;
}

std::vector<std::byte> gathered(const ptx::kernel& kernel, void** arguments) {
  std::vector<std::byte> block(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ptx::parameter& each = kernel.parameters[i];
    std::memcpy(block.data() + each.offset, arguments[i], each.bytes);
  }
  return block;
}

/// What kernels have allocated and not freed.
std::set<void*>& allocated_in_kernels() {
  static std::set<void*> all;
  return all;
}

void* allocate_in_kernel(std::size_t bytes) {
  try {
    return *allocated_in_kernels().insert(simt::global_memory().allocate(bytes)).first;
  } catch (const simt::out_of_memory&) {
    return nullptr;
  }
}

bool release_in_kernel(void* memory) {
  if (allocated_in_kernels().erase(memory) == 0) return false;
  simt::global_memory().release(memory);
  return true;
}

/// The two words of a grid-wide barrier; zero before each launch.
std::uint64_t grid_workspace() {
  constexpr std::size_t bytes = 8;
  static void* const words = [] {
    simt::label what;
    what.called = "barrier of the grid";
    return simt::global_memory().allocate(bytes, what);
  }();
  std::memset(words, 0, bytes);
  return reinterpret_cast<std::uint64_t>(words);
}

/// Of a launch that goes on.
void report_race(const std::string& kernel, const simt::fault& what) {
  using enum simt::fault_kind;
  report(finding_of(what.kind == unset_read  ? finding_kind::hint
                    : what.kind == unset_use ? finding_kind::failure
                                             : finding_kind::race,
                    kernel, what));
}

void report_sample(const std::string& kernel, std::uint32_t cluster_blocks, std::uint32_t blocks) {
  const simt::settings& how = settings_of_run().executor;
  const std::uint32_t checked = simt::checked_blocks(how.checked_blocks, cluster_blocks, blocks);
  if (how.check != simt::checking::races || checked == blocks) return;
  report({.kind = finding_kind::sample,
          .kernel = kernel,
          .text = fmt::format("all but {} of {} blocks of kernel {} (--blocks)", checked, blocks,
                              kernel)});
}

/// 0 if no such block fits.
std::uint32_t resident_blocks(const simt::settings& how, std::uint64_t threads,
                              std::size_t shared_bytes, std::uint32_t cluster_blocks) {
  const auto most = static_cast<std::uint64_t>(how.gpu.max_threads_per_block);
  if (threads == 0 || threads > most) return 0;
  const simt::scoped_settings use(how);
  return simt::max_resident_blocks(static_cast<std::uint32_t>(threads), shared_bytes,
                                   cluster_blocks);
}

/// A program may go on after such an error, so that nothing would be checked of this kernel.
void refuse_if_a_larger_gpu_fits(const std::string& name, std::uint64_t threads,
                                 std::size_t shared_bytes, std::uint32_t cluster_blocks) {
  constexpr const char* largest = "h200";
  simt::settings how = settings_of_run().executor;
  how.gpu = simt::find_gpu_model(largest);
  if (resident_blocks(how, threads, shared_bytes, cluster_blocks) == 0) return;
  refuse(fmt::format("blocks of kernel {} do not fit the GPU model {}: try --gpu {}", name,
                     settings_of_run().executor.gpu.name, largest));
}

/// What cudaFuncSetAttribute() allows kernels of dynamic shared memory. On the device's OS thread.
std::map<const void*, std::size_t>& allowed_shared_bytes() {
  static auto& of_kernels = *new std::map<const void*, std::size_t>;
  return of_kernels;
}

/// Which kernels may have clusters of more than 8 blocks by cudaFuncSetAttribute(). As above.
std::set<const void*>& beyond_portable_clusters() {
  static auto& kernels = *new std::set<const void*>;
  return kernels;
}

std::size_t most_dynamic_bytes(const void* host, std::size_t static_bytes) {
  return std::max(usual_shared_bytes - std::min(usual_shared_bytes, static_bytes),
                  allowed_shared_bytes()[host]);
}

/// \param from where the program launches it. \param refused why it is not launched, if it is not
cudaError_t run(const void* host, const ptx::kernel& kernel, const launch_shape& shape,
                const std::vector<std::byte>& parameters, cudaStream_t stream, const void* from,
                refusal& refused) {
  const std::string name = source_name(kernel.name);
  simt::settings how = settings_of_run().executor;
  how.on_race = [&](const simt::fault& race) { report_race(name, race); };
  how.unset_reads = true;
  const bool may_overlap = overlaps().order.has_several() || kernel.overlaps_launches;
  const byte_set& shared = overlaps().shared_with_host();
  launch_accesses accessed(may_overlap ? nullptr : &shared, kernel.fences_system);
  const bool is_observed = may_overlap || !shared.empty();
  if (is_observed && how.check == simt::checking::races) how.observer = &accessed;
  const simt::scoped_settings use(how);
  const simt::grid_shape grid{.blocks = {shape.blocks.x, shape.blocks.y, shape.blocks.z},
                              .threads = {shape.threads.x, shape.threads.y, shape.threads.z},
                              .shared_bytes = shape.shared_bytes,
                              .cluster = cluster_of(shape, kernel)};
  refused = refusal_of(shape, most_dynamic_bytes(host, kernel.static_shared_bytes));
  if (refused.error == cudaSuccess)
    refused = refusal_of_cluster(shape, kernel, beyond_portable_clusters().contains(host));
  if (refused.error != cudaSuccess) return refused.error;
  const std::uint64_t blocks = std::uint64_t{shape.blocks.x} * shape.blocks.y * shape.blocks.z;
  if (blocks > UINT32_MAX) refuse(fmt::format("a grid of {} blocks is not supported", blocks));
  const unsigned threads = shape.threads.x * shape.threads.y * shape.threads.z;
  const std::size_t shared_bytes = kernel.static_shared_bytes + shape.shared_bytes;
  const std::uint32_t resident =
      resident_blocks(settings_of_run().executor, threads, shared_bytes, grid.cluster_blocks());
  if (resident == 0) {
    refuse_if_a_larger_gpu_fits(name, threads, shared_bytes, grid.cluster_blocks());
    refused = {cudaErrorInvalidConfiguration, "its clusters do not fit"};
  } else if (shape.is_cooperative && blocks > resident) {
    refused = {
        cudaErrorCooperativeLaunchTooLarge,
        fmt::format("{} blocks of a cooperative launch, at most {} on the GPU model {} (see --gpu)",
                    blocks, resident, settings_of_run().executor.gpu.name)};
  }
  if (refused.error != cudaSuccess) return refused.error;
  ptx::launch_options options;
  options.volatiles = settings_of_run().volatiles;
  if (shape.is_cooperative) options.grid_workspace = grid_workspace();
  options.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  options.at_dependency = [&](bool waits) { accessed.at_dependency(waits); };
  options.allocate = allocate_in_kernel;
  options.release = release_in_kernel;
  report({.kind = finding_kind::launch, .kernel = name});
  note_launched(kernel, name);
  report_sample(name, grid.cluster_blocks(), static_cast<std::uint32_t>(blocks));
  const kernel_that_runs now(name, from);
  try {
    ptx::run(kernel, grid, parameters, options);
  } catch (const simt::execution_error& problem) {
    report(finding_of(finding_kind::failure, name, problem.reason()));
    return fail_from_now_on();
  } catch (const ptx::error& problem) {
    refuse(fmt::format("{}: compile all its files with nvcc {}", problem.what(), nvcc_options));
  } catch (const std::exception& problem) {
    report({.kind = finding_kind::failure,
            .kernel = name,
            .text = problem.what(),
            .rule = "failed-launch"});
    return fail_from_now_on();
  }
  overlaps().add_launch({.text = "kernel " + name, .kernel = name, .from = from}, number_of(stream),
                        accessed, shape.overlaps);
  forget_refused(name);
  return cudaSuccess;
}

struct configuration {
  dim3 blocks, threads;
  std::size_t shared_bytes;
  cudaStream_t stream;
  const void* from;
};
thread_local std::vector<configuration> configurations;
/// Where the program wrote the <<<>>> whose stub is about to launch; null: in none.
thread_local const void* in_brackets = nullptr;

cudaError_t launch(const void* host, const launch_shape& shape, void** arguments,
                   cudaStream_t stream, const void* from) {
  const void* const place = std::exchange(in_brackets, nullptr);
  return perform(stream, launch_of(host, std::make_shared<launch_shape>(shape), arguments,
                                   place == nullptr ? from : place, place == nullptr));
}

launch_shape shape_of(const cudaLaunchConfig_t& what) {
  launch_shape shape{what.gridDim, what.blockDim, what.dynamicSmemBytes};
  for (unsigned i = 0; i < what.numAttrs; ++i)
    set_attribute(shape, what.attrs[i].id, what.attrs[i].val);
  return shape;
}

}  // namespace

void set_attribute(launch_shape& to, int attribute, const cudaLaunchAttributeValue& value) {
  if (attribute == cudaLaunchAttributeCooperative) to.is_cooperative = value.cooperative != 0;
  if (attribute == cudaLaunchAttributeProgrammaticStreamSerialization)
    to.overlaps = value.programmaticStreamSerializationAllowed != 0;
  if (attribute == cudaLaunchAttributeClusterDimension)
    to.cluster = {value.numbers[0], value.numbers[1], value.numbers[2]};
}

work launch_of(const void* host, std::shared_ptr<const launch_shape> shape, void** arguments,
               const void* from, bool has_status) {
  const registered_name* const which = kernel_at(host);
  const ptx::kernel* kernel = nullptr;
  std::vector<std::byte> parameters;
  if (which != nullptr) {
    on_device([&] {
      kernel = which->binary->kernel(which->name);
      if (kernel != nullptr) parameters = gathered(*kernel, arguments);
    });
  }
  if (kernel == nullptr) {
    const std::string name = which == nullptr ? "" : source_name(which->name);
    return [=](cudaStream_t) {
      remember_refused(name, "the program has no such kernel", from, has_status);
      return noted(cudaErrorInvalidDeviceFunction);
    };
  }
  return [=](cudaStream_t stream) {
    cudaError_t result = state_of_device();
    if (result != cudaSuccess) return result;
    refusal refused;
    on_device([&] { result = run(host, *kernel, *shape, parameters, stream, from, refused); });
    if (refused.error != cudaSuccess)
      remember_refused(source_name(kernel->name), refused.why, from, has_status);
    return noted(result);
  };
}

}  // namespace cudart

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 blocks, dim3 threads, std::size_t shared_bytes,
                                     cudaStream_t stream) {
  cudart::configurations.push_back(
      {blocks, threads, shared_bytes, stream, __builtin_return_address(0)});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* blocks, dim3* threads, std::size_t* shared_bytes,
                                       void* stream) {
  if (cudart::configurations.empty()) return cudart::noted(cudaErrorInvalidConfiguration);
  const cudart::configuration& last = cudart::configurations.back();
  *blocks = last.blocks;
  *threads = last.threads;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  cudart::in_brackets = last.from;
  cudart::configurations.pop_back();
  return cudaSuccess;
}
// A kernel's handle is the address that it was registered with.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* host, dim3 blocks, dim3 threads, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
  return cudart::launch(host, {blocks, threads, shared_bytes}, arguments, stream,
                        cudart::place_of_call(__builtin_return_address(0)));
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 blocks, dim3 threads, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  return cudart::launch(kernel, {blocks, threads, shared_bytes}, arguments, stream,
                        cudart::place_of_call(__builtin_return_address(0)));
}
cudaError_t cudaLaunchCooperativeKernel(const void* host, dim3 blocks, dim3 threads,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  return cudart::launch(host, {blocks, threads, shared_bytes, true}, arguments, stream,
                        cudart::place_of_call(__builtin_return_address(0)));
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* what, const void* host,
                                void** arguments) {
  return cudart::launch(host, cudart::shape_of(*what), arguments, what->stream,
                        cudart::place_of_call(__builtin_return_address(0)));
}

// What a program may ask of a kernel.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* about, const void* host) {
  const cudart::registered_name* const which = cudart::kernel_at(host);
  if (which == nullptr) return cudart::noted(cudaErrorInvalidDeviceFunction);
  *about = {};
  cudart::on_device([&] {
    if (const ptx::kernel* kernel = which->binary->kernel(which->name))
      about->sharedSizeBytes = kernel->static_shared_bytes;
    about->maxDynamicSharedSizeBytes =
        static_cast<int>(cudart::most_dynamic_bytes(host, about->sharedSizeBytes));
  });
  about->maxThreadsPerBlock = cudart::settings_of_run().executor.gpu.max_threads_per_block;
  about->numRegs = 32;
  about->ptxVersion = about->binaryVersion = 90;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* host, int attribute, int value) {
  cudaFuncAttributes about;
  if (const cudaError_t error = cudaFuncGetAttributes(&about, host)) return error;
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    cudart::on_device([&] {
      if (value != 0)
        cudart::beyond_portable_clusters().insert(host);
      else
        cudart::beyond_portable_clusters().erase(host);
    });
  }
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  const std::size_t most = cudart::settings_of_run().executor.gpu.shared_bytes_per_block;
  const auto bytes = static_cast<std::size_t>(value);
  if (value < 0 || bytes + about.sharedSizeBytes > most)
    return cudart::noted(cudaErrorInvalidValue);
  cudart::on_device([&] { cudart::allowed_shared_bytes()[host] = bytes; });
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void*, int) {
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                   int threads,
                                                                   std::size_t shared_bytes,
                                                                   unsigned) {
  cudaFuncAttributes about;
  if (const cudaError_t error = cudaFuncGetAttributes(&about, host)) return error;
  *blocks = cudart::settings_of_run().executor.gpu.blocks_per_sm(
      threads, about.sharedSizeBytes + shared_bytes);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host,
                                                          int threads, std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, shared_bytes,
                                                                0);
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* host,
                                           const cudaLaunchConfig_t* what) {
  cudaFuncAttributes about;
  if (const cudaError_t error = cudaFuncGetAttributes(&about, host)) return error;
  const dim3 cluster = cudart::shape_of(*what).cluster;
  const unsigned blocks = std::max(cluster.x * cluster.y * cluster.z, 1u);
  const dim3& threads = what->blockDim;
  *clusters = static_cast<int>(
      cudart::resident_blocks(cudart::settings_of_run().executor, threads.x * threads.y * threads.z,
                              about.sharedSizeBytes + what->dynamicSmemBytes, blocks) /
      blocks);
  return cudaSuccess;
}

}  // extern "C"
