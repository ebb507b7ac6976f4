// Parallel loops over long lists, on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace finesync::inputs {

/// 0 to size - 1 in parts of about the same length. There are many per core, because some may take
/// longer than others, but none so short that a thread is not worthwhile.
class parts {
 public:
  explicit parts(std::size_t size)
      : size_(size), count_(std::clamp<std::size_t>(size / least, 1, of_core * cores())) {}

  std::size_t count() const { return count_; }

  /// Calls run(part, begin, end) for each part, on as many threads as there are cores. \throws the
  /// exception of a call, after all have ended.
  template <class Run>
  void for_each(const Run& run) const {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < count_;)
        run(part, begin(part), begin(part + 1));
    };
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < std::min(cores(), count_); ++i)
      others.push_back(std::async(std::launch::async, work));
    work();
    for (std::future<void>& other : others) other.get();
  }

 private:
  static constexpr std::size_t least = 1 << 14;
  static constexpr std::size_t of_core = 64;

  static std::size_t cores() { return std::max(1u, std::thread::hardware_concurrency()); }
  std::size_t begin(std::size_t part) const { return size_ * part / count_; }

  std::size_t size_;
  std::size_t count_;
};

}  // namespace finesync::inputs
