// SPDX-License-Identifier: Apache-2.0
#include <check/program_file.hpp>

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace check {

namespace {

std::string bytes_of(const std::string& program) {
  std::ifstream in(program, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string unsupported_library(const std::string& program) {
  const std::string bytes = bytes_of(program);
  for (const auto& [library, name] :
       {std::pair("libcublas", "cuBLAS"), std::pair("libcufft", "cuFFT"),
        std::pair("libcurand", "cuRAND"), std::pair("libcusparse", "cuSPARSE"),
        std::pair("libcusolver", "cuSOLVER"), std::pair("libcudnn", "cuDNN"),
        std::pair("libnccl", "NCCL"), std::pair("libcuda", "CUDA's driver API"),
        std::pair("libnvrtc", "NVRTC")}) {
    if (bytes.find(std::string(library) + ".so.") != std::string::npos) return name;
  }
  return {};
}

std::string why_no_launch(const std::string& program) {
  const std::string bytes = bytes_of(program);
  const auto has = [&](const char* text) { return bytes.find(text) != std::string::npos; };
  if (has(".nv_fatbin") && !has("libcudart.so.")) {
    return fmt::format(
        "{} contains CUDA's runtime, so that its kernels cannot be seen; build it with "
        "NVCC_APPEND_FLAGS=\"{}\"",
        program, nvcc_flags);
  }
  if (const std::string name = unsupported_library(program); !name.empty()) {
    return fmt::format(
        "{} has not launched a kernel by the CUDA runtime; it uses {}, which is not supported",
        program, name);
  }
  return fmt::format("{} has not launched a kernel", program);
}

}  // namespace check
