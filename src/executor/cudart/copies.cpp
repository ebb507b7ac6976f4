// SPDX-License-Identifier: Apache-2.0
#include <cudart/copies.hpp>
#include <cudart/device.hpp>
#include <cudart/findings.hpp>
#include <simt/arena.hpp>

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

namespace cudart {

namespace {

enum class home { any, host, device };

/// What a copy reads, or what it writes.
struct side {
  const char* does;  ///< "reads"
  const char* from;  ///< "from"
  const void* at;
  std::size_t pitch;
  const void* variable;
  home wanted;
};

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Where a side is. \param of_host the other kind by which it is the host's
home home_of(int kind, int of_host) {
  if (kind == cudaMemcpyDefault) return home::any;
  return kind == cudaMemcpyHostToHost || kind == of_host ? home::host : home::device;
}

std::string kind_text(int kind) {
  static constexpr std::array names{"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                    "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
  return fmt::format("though its kind is {}", names.at(static_cast<std::size_t>(kind)));
}

/// From the first byte to the last one; nothing if no memory is that large.
std::optional<std::size_t> span_of(const rows& what, std::size_t pitch) {
  std::size_t bytes = 0;
  const bool is_too_large = __builtin_mul_overflow(what.count - 1, pitch, &bytes) ||
                            __builtin_add_overflow(bytes, what.width, &bytes) ||
                            bytes > PTRDIFF_MAX;
  return is_too_large ? std::nullopt : std::optional(bytes);
}

std::string amount_text(const rows& what, std::size_t pitch) {
  if (what.count == 1) return fmt::format("{} bytes", what.width);
  return fmt::format("{} rows of {} bytes, {} bytes apart,", what.count, what.width, pitch);
}

/// The bytes from an offset on.
std::string text_of(const simt::arena::extent& memory, std::uint64_t offset) {
  if (!memory.in_use)
    return fmt::format("the {} ({} bytes), which has been freed", memory.name, memory.bytes);
  if (offset == 0) return fmt::format("{} bytes of the {}", memory.bytes, memory.name);
  const bool is_inside = offset < memory.bytes;
  return fmt::format("{} {} of the {} bytes of the {}", is_inside ? "the last" : "byte",
                     is_inside ? memory.bytes - offset : offset, memory.bytes, memory.name);
}

/// What is wrong with a side of it; empty if nothing is.
std::string problem_of(const rows& what, const side& one) {
  const simt::arena& device = simt::global_memory();
  const std::optional<std::size_t> bytes = span_of(what, one.pitch);
  const auto says = [&](const std::string& memory) {
    return fmt::format("{} {} {} {}", one.does, amount_text(what, one.pitch), one.from, memory);
  };
  const void* const within = one.variable == nullptr ? one.at : one.variable;
  if (!device.reserves(within)) {
    const std::string memory =
        one.at == nullptr ? "a null pointer" : "memory that is not the device's";
    if (one.wanted != home::device) return bytes ? "" : says(memory);
    return says(memory) + (what.kind == cudaMemcpyDefault ? "" : ", " + kind_text(what.kind));
  }
  const auto memory = device.owner_of(within);
  if (!memory) return says("memory that is not allocated");
  const std::uint64_t offset =
      device.offset(within) - memory->offset + (number(one.at) - number(within));
  const bool is_inside =
      memory->in_use && bytes && offset <= memory->bytes && *bytes <= memory->bytes - offset;
  if (!is_inside) return says(text_of(*memory, offset));
  const bool is_wrong = one.wanted == home::host && type_of(within) == cudaMemoryTypeDevice;
  return is_wrong ? says("the " + memory->name) + ", " + kind_text(what.kind) : "";
}

/// Whether a byte is read as well as written. A copy of rows onto themselves changes nothing.
bool reads_its_target(const rows& what) {
  const std::uintptr_t from = number(what.from), to = number(what.to);
  if (from == to && what.from_pitch == what.to_pitch) return false;
  const auto ends = [&](std::uintptr_t at, std::size_t pitch) {
    return at + (what.count - 1) * pitch + what.width;
  };
  if (from >= ends(to, what.to_pitch) || to >= ends(from, what.from_pitch)) return false;
  for (std::size_t i = 0; i < what.count; ++i) {
    const std::uintptr_t row = to + i * what.to_pitch;
    // The last row that is read and begins before the end of this one.
    if (from >= row + what.width) continue;
    const std::size_t before =
        what.from_pitch == 0 ? 0 : (row + what.width - 1 - from) / what.from_pitch;
    const std::uintptr_t other = from + std::min(before, what.count - 1) * what.from_pitch;
    if (other + what.width > row) return true;
  }
  return false;
}

/// On the OS thread that called it, if it is in that call still.
void report_bad(const call& how, const std::string& reason) {
  const std::string who = fmt::format("{}()", how.function);
  report(failure_of("bad-copy", "", {who, with_callers(how.from)}, reason));
}

/// By the system, so that an address that the program does not have is an error, not a signal. The
/// host's side is the local one, as which the system takes device files, too.
bool move_by_system(bool reads, std::byte* host, std::byte* own, std::size_t bytes) {
  const iovec local{host, bytes}, remote{own, bytes};
  const ssize_t moved = reads ? process_vm_writev(getpid(), &local, 1, &remote, 1, 0)
                              : process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  const bool is_forbidden = moved < 0 && (errno == EPERM || errno == ENOSYS);
  if (is_forbidden) std::memcpy(reads ? own : host, reads ? host : own, bytes);
  return is_forbidden || moved == static_cast<ssize_t>(bytes);
}

/// Moves a row. \return null, or which side the program does not have: "reads", "writes"
const char* move_row(std::byte* to, std::byte* from, std::size_t bytes, bool to_device,
                     bool from_device) {
  if (to_device && from_device) {
    std::memmove(to, from, bytes);
    return nullptr;
  }
  // The device's pages may be closed while another OS thread waits: not to the handler of signals.
  std::array<std::byte, 16384> part;
  for (std::size_t at = 0; at < bytes; at += part.size()) {
    const std::size_t size = std::min(part.size(), bytes - at);
    if (from_device)
      std::memcpy(part.data(), from + at, size);
    else if (!move_by_system(true, from + at, part.data(), size))
      return "reads";
    if (to_device)
      std::memcpy(to + at, part.data(), size);
    else if (!move_by_system(false, to + at, part.data(), size))
      return "writes";
  }
  return nullptr;
}

}  // namespace

cudaError_t checked_move(const call& how, const rows& what) {
  bool to_device = false;
  bool from_device = false;
  std::string problem;
  if (what.kind < cudaMemcpyHostToHost || what.kind > cudaMemcpyDefault) {
    report_bad(how, fmt::format("has the kind {}, which is no cudaMemcpyKind", what.kind));
    return cudaErrorInvalidMemcpyDirection;
  }
  if (what.to_pitch < what.width || what.from_pitch < what.width) {
    const bool is_target = what.to_pitch < what.width;
    const std::size_t pitch = is_target ? what.to_pitch : what.from_pitch;
    report_bad(how, fmt::format("{} {} rows of {} bytes, {} bytes apart, which is less than a row",
                                is_target ? "writes" : "reads", what.count, what.width, pitch));
    return cudaErrorInvalidPitchValue;
  }
  on_device([&] {
    problem = problem_of(what, {"reads", "from", what.from, what.from_pitch, what.from_variable,
                                home_of(what.kind, cudaMemcpyHostToDevice)});
    if (problem.empty())
      problem = problem_of(what, {"writes", "to", what.to, what.to_pitch, what.to_variable,
                                  home_of(what.kind, cudaMemcpyDeviceToHost)});
    to_device = simt::global_memory().reserves(what.to);
    from_device = simt::global_memory().reserves(what.from);
  });
  if (!problem.empty()) {
    report_bad(how, problem);
    return cudaErrorInvalidValue;
  }
  if (reads_its_target(what))
    report_bad(how, "writes bytes that it reads: source and target overlap");
  auto* const from = static_cast<std::byte*>(const_cast<void*>(what.from));
  for (std::size_t i = 0; i < what.count; ++i) {
    const char* const wrong =
        move_row(static_cast<std::byte*>(what.to) + i * what.to_pitch, from + i * what.from_pitch,
                 what.width, to_device, from_device);
    if (wrong == nullptr) continue;
    const bool reads = wrong == std::string_view("reads");
    report_bad(
        how,
        fmt::format("{} {} {} {}", wrong, amount_text(what, what.width), reads ? "from" : "to",
                    (reads ? what.from : what.to) == nullptr ? "a null pointer"
                                                             : "memory that the program lacks"));
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t checked_memset(const call& how, const rows& what) {
  std::string problem;
  on_device([&] {
    problem = problem_of(what, {"writes", "to", what.to, what.to_pitch, nullptr, home::device});
  });
  if (problem.empty()) return cudaSuccess;
  report_bad(how, problem);
  return cudaErrorInvalidValue;
}

}  // namespace cudart
