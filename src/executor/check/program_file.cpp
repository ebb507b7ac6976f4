// SPDX-License-Identifier: Apache-2.0
#include <check/program_file.hpp>

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace check {

std::string why_no_launch(const std::string& program) {
  std::ifstream in(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto has = [&](const char* text) { return bytes.find(text) != std::string::npos; };
  if (has(".nv_fatbin") && !has("libcudart.so.")) {
    return fmt::format(
        "{} contains CUDA's runtime, so that its kernels cannot be seen; build it with "
        "NVCC_APPEND_FLAGS=\"{}\"",
        program, nvcc_flags);
  }
  for (const auto& [library, name] :
       {std::pair("libcuda.so.", "CUDA's driver API"), std::pair("libnvrtc.so.", "NVRTC")}) {
    if (has(library)) {
      return fmt::format(
          "{} has not launched a kernel by the CUDA runtime; it uses {}, which is not "
          "supported",
          program, name);
    }
  }
  return fmt::format("{} has not launched a kernel", program);
}

}  // namespace check
