// SPDX-License-Identifier: Apache-2.0
// A fat binary is a header and entries, each with a header:
//
//|   offset  bytes  of the fat binary       offset  bytes  of an entry
//|   0       4      magic                   0       2      kind: 1 is PTX
//|   6       2      bytes of this header    4       4      bytes of this header
//|   8       8      bytes of all entries    8       8      bytes of the payload
//|                                          28      4      architecture: 90
#include <cudart/fat_binary.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

namespace cudart {

namespace {

using bytes_view = std::span<const std::byte>;

constexpr std::uint32_t magic = 0xBA55ED50;
constexpr std::uint16_t ptx_kind = 1;
constexpr std::size_t entry_header_bytes = 32;  // as far as it is read here
constexpr std::uint32_t newest_architecture = 90;

template <class T>
T number_at(bytes_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

[[noreturn]] void malformed(std::string_view why) {
  throw fat_binary_error(fmt::format("the program's fat binary is malformed: {}", why));
}

/// nvcc fills up the text with zeros.
std::string text_of(bytes_view payload) {
  const std::string text(reinterpret_cast<const char*>(payload.data()), payload.size());
  return text.substr(0, text.find('\0'));
}

bool is_ptx_text(const std::string& text) {
  return text.find(".version") != std::string::npos;
}

struct best_entry {
  std::uint32_t architecture = 0;
  bytes_view payload;
};

void consider(bytes_view payload, std::uint32_t architecture, best_entry& best) {
  if (architecture > newest_architecture || architecture < best.architecture) return;
  best = {architecture, payload};
}

}  // namespace

std::size_t fat_binary_bytes(bytes_view header) {
  if (header.size() < fat_binary_header_bytes) malformed("its header is cut off");
  if (number_at<std::uint32_t>(header, 0) != magic)
    malformed("its first word is not that of fat binaries");
  const auto own = number_at<std::uint16_t>(header, 6);
  const auto entries = number_at<std::uint64_t>(header, 8);
  if (own < fat_binary_header_bytes)
    malformed(
        fmt::format("its header has {} bytes, not at least {}", own, fat_binary_header_bytes));
  if (entries > SIZE_MAX - own)
    malformed(fmt::format("its size of {} bytes is impossible", entries));
  return own + static_cast<std::size_t>(entries);
}

std::string ptx_of(bytes_view fat_binary) {
  const std::size_t size = fat_binary_bytes(fat_binary);
  if (size > fat_binary.size()) malformed("it is cut off");
  best_entry best;
  bytes_view left = fat_binary.subspan(number_at<std::uint16_t>(fat_binary, 6));
  left = left.first(size - number_at<std::uint16_t>(fat_binary, 6));
  while (!left.empty()) {
    if (left.size() < entry_header_bytes) malformed("an entry's header is cut off");
    const auto header = number_at<std::uint32_t>(left, 4);
    const auto payload = number_at<std::uint64_t>(left, 8);
    if (header < entry_header_bytes || header > left.size())
      malformed(fmt::format("an entry's header cannot have {} bytes", header));
    if (payload > left.size() - header) malformed("an entry is cut off");
    const bytes_view content = left.subspan(header, static_cast<std::size_t>(payload));
    if (number_at<std::uint16_t>(left, 0) == ptx_kind)
      consider(content, number_at<std::uint32_t>(left, 28), best);
    left = left.subspan(header + static_cast<std::size_t>(payload));
  }
  if (best.architecture == 0) {
    throw fat_binary_error(
        fmt::format("the program has no PTX of sm_{} or older: compile with nvcc {}",
                    newest_architecture, nvcc_options));
  }
  std::string text = text_of(best.payload);
  if (!is_ptx_text(text)) {
    throw fat_binary_error(
        fmt::format("the program's PTX is compressed: compile with nvcc {}", nvcc_options));
  }
  return text;
}

}  // namespace cudart
