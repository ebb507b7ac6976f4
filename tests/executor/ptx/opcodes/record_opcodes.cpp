// Computes all cases on the GPU and writes the recording that tests compare the interpreter with.
//
//|  record_opcodes OUT [REVISION]      on a machine with a GPU of sm_90 or later
//|  record_opcodes --texts FOLDER      the kernels alone, a file each; needs no GPU
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/recording.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <cuda.h>

namespace ptx_opcodes {

namespace {

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  throw std::runtime_error(fmt::format("{}: {}", what, text == nullptr ? "unknown error" : text));
}

/// Memory of the GPU, zeros at first.
class device_bytes {
 public:
  explicit device_bytes(std::size_t bytes) {
    check(cuMemAlloc(&at_, bytes), "cuMemAlloc");
    check(cuMemsetD8(at_, 0, bytes), "cuMemsetD8");
  }
  ~device_bytes() { cuMemFree(at_); }
  device_bytes(const device_bytes&) = delete;
  device_bytes& operator=(const device_bytes&) = delete;

  CUdeviceptr at() const { return at_; }

 private:
  CUdeviceptr at_ = 0;
};

class loaded_text {
 public:
  explicit loaded_text(const std::string& text) {
    std::array<char, 4096> log{};
    std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> given = {log.data(), reinterpret_cast<void*>(log.size())};
    const CUresult result =
        cuModuleLoadDataEx(&module_, text.c_str(), options.size(), options.data(), given.data());
    if (result != CUDA_SUCCESS) throw std::runtime_error(log.data());
  }
  ~loaded_text() { cuModuleUnload(module_); }
  loaded_text(const loaded_text&) = delete;
  loaded_text& operator=(const loaded_text&) = delete;

  CUfunction kernel() const {
    CUfunction found = nullptr;
    check(cuModuleGetFunction(&found, module_, "k"), "cuModuleGetFunction");
    return found;
  }

 private:
  CUmodule module_ = nullptr;
};

rows computed_by_gpu(const opcode_case& one) {
  const loaded_text code(kernel_text(one));
  const std::size_t threads = one.tuples.size(), bytes = threads * sizeof(values);
  const device_bytes in(bytes), out(bytes), scratch(64 * threads);
  check(cuMemcpyHtoD(in.at(), one.tuples.data(), bytes), "cuMemcpyHtoD");
  std::array addresses = {in.at(), out.at(), scratch.at()};
  std::array<void*, 3> parameters = {&addresses[0], &addresses[1], &addresses[2]};
  check(cuLaunchKernel(code.kernel(), one.cluster_blocks, 1, 1,
                       static_cast<unsigned>(threads / one.cluster_blocks), 1, 1, 0, nullptr,
                       parameters.data(), nullptr),
        "cuLaunchKernel");
  check(cuCtxSynchronize(), "the kernel");
  rows results(threads);
  check(cuMemcpyDtoH(results.data(), out.at(), bytes), "cuMemcpyDtoH");
  return results;
}

std::string name_of(CUdevice gpu) {
  std::array<char, 256> name{};
  check(cuDeviceGetName(name.data(), static_cast<int>(name.size()), gpu), "cuDeviceGetName");
  return name.data();
}

void take_context(CUdevice gpu) {
  CUcontext context = nullptr;
  check(cuDevicePrimaryCtxRetain(&context, gpu), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

int record(const char* file, const char* revision) {
  check(cuInit(0), "cuInit");
  CUdevice gpu = 0;
  check(cuDeviceGet(&gpu, 0), "cuDeviceGet");
  take_context(gpu);
  int driver = 0;
  check(cuDriverGetVersion(&driver), "cuDriverGetVersion");

  recording made;
  made.provenance = {{"gpu", name_of(gpu)},
                     {"driver", fmt::format("CUDA {}.{}", driver / 1000, driver % 1000 / 10)},
                     {"date", fmt::format("{:%F}", fmt::gmtime(std::chrono::system_clock::to_time_t(
                                                       std::chrono::system_clock::now())))},
                     {"revision", revision}};
  std::size_t refused = 0;
  for (const opcode_case& one : all_cases()) {
    try {
      made.entries[one.name] = {fingerprint(one), digits_of(one, computed_by_gpu(one))};
    } catch (const std::exception& problem) {
      ++refused;
      std::fprintf(stderr, "%s: %s\n", one.name.c_str(), problem.what());
      if (cuCtxSynchronize() != CUDA_SUCCESS) {  // nothing runs in this context any more
        check(cuDevicePrimaryCtxReset(gpu), "cuDevicePrimaryCtxReset");
        take_context(gpu);
      }
    }
  }
  std::ofstream to(file);
  write(to, made, all_cases());
  if (!to.flush()) throw std::runtime_error(fmt::format("{} cannot be written", file));
  std::printf("%zu cases recorded, %zu refused\n", made.entries.size(), refused);
  return refused == 0 ? 0 : 1;
}

int write_texts(const std::filesystem::path& folder) {
  for (const opcode_case& one : all_cases()) {
    std::ofstream to(folder / (one.name + ".ptx"));
    to << kernel_text(one);
    if (!to.flush()) throw std::runtime_error(fmt::format("{} cannot be written", one.name));
  }
  return 0;
}

}  // namespace

}  // namespace ptx_opcodes

int main(int count, char** arguments) {
  try {
    if (count == 3 && std::string_view(arguments[1]) == "--texts")
      return ptx_opcodes::write_texts(arguments[2]);
    if (count == 2 || count == 3)
      return ptx_opcodes::record(arguments[1], count == 3 ? arguments[2] : "unknown");
    std::fputs("usage: record_opcodes OUT [REVISION] | --texts FOLDER\n", stderr);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
  }
  return 2;
}
