// SPDX-License-Identifier: Apache-2.0
// The PTX in a fat binary, as nvcc embeds it in a program.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

namespace cudart {

/// A fat binary that is malformed, or has no PTX that runs here. The message is one line and says
/// how to compile.
class fat_binary_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options of nvcc that make a program runnable here.
inline constexpr const char* nvcc_options =
    "-cudart shared --no-compress -lineinfo -gencode arch=compute_90,code=compute_90";

/// The size of the fat binary that begins with these bytes, which its header says.
/// \throws fat_binary_error if this is no header.
std::size_t fat_binary_bytes(std::span<const std::byte> header);

/// The number of bytes that fat_binary_bytes() reads.
inline constexpr std::size_t fat_binary_header_bytes = 16;

/// The PTX for the newest architecture up to sm_90. \throws fat_binary_error.
std::string ptx_of(std::span<const std::byte> fat_binary);

}  // namespace cudart
