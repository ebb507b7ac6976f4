// SPDX-License-Identifier: Apache-2.0
#include <simt/host_memory.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

namespace simt {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The number that follows a word in a file of the kernel; without a word, the first number.
std::optional<std::size_t> number_in(const char* file, const std::string& word) {
  std::ifstream in(file);
  for (std::string read; word.empty() || in >> read;) {
    if (read != word) continue;
    std::size_t number = 0;
    if (in >> number) return number;
    break;
  }
  return std::nullopt;
}

std::size_t free_in_system() {
  const auto kib = number_in("/proc/meminfo", "MemAvailable:");
  return kib ? *kib * 1024 : unlimited;
}

// What a container may still take. Files in its cache give way.
std::size_t free_in_control_group() {
  const auto most = number_in("/sys/fs/cgroup/memory.max", "");
  const auto taken = number_in("/sys/fs/cgroup/memory.current", "");
  if (!most || !taken) return unlimited;
  const std::size_t cached = number_in("/sys/fs/cgroup/memory.stat", "file").value_or(0);
  const std::size_t kept = *taken - std::min(*taken, cached);
  return *most - std::min(*most, kept);
}

}  // namespace

std::size_t free_memory() {
  return std::min(free_in_system(), free_in_control_group());
}

address_range reserve_addresses(std::size_t most, std::size_t least) {
  for (std::size_t bytes = most;; bytes = std::max(least, bytes / 2)) {
    void* begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin != MAP_FAILED) return {begin, bytes};
    if (bytes == least) {
      throw out_of_memory(fmt::format(
          "the host executor needs {} of addresses, more than this process may have (ulimit -v)",
          in_gb(least)));
    }
  }
}

std::string in_gb(std::size_t bytes) {
  return fmt::format("{:.3g} GB", static_cast<double>(bytes) / 1e9);
}

}  // namespace simt
