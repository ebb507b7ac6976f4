// Kernels from PTX texts on the host executor: memory, launches, and what a faulty launch reports.
#pragma once

#include <ptx/launch.hpp>
#include <simt/arena.hpp>
#include <simt/fault.hpp>
#include <simt/settings.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptx_test {

/// What a module begins with, and two files for its lines, one of them CUDA's own.
inline const std::string module_head = R"(
.version 8.0
.target sm_90
.address_size 64
.file 1 "/home/me/kernel.cu"
.file 2 "/usr/local/cuda/targets/x86_64-linux/include/cuda/std/atomic"
)";

/// The text with its first such part replaced.
inline std::string with(std::string text, const std::string& part, const std::string& other) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return at == std::string::npos ? text : text.replace(at, part.size(), other);
}

/// Words in the executor's global memory, all of one value at first.
template <class T>
class words {
 public:
  explicit words(std::size_t count, T value = {})
      : count_(count), data_(static_cast<T*>(simt::global_memory().allocate(count * sizeof(T)))) {
    std::fill_n(data_, count, value);
  }
  ~words() { simt::global_memory().release(data_); }
  words(const words&) = delete;
  words& operator=(const words&) = delete;

  T* data() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  std::vector<T> all() const { return {data_, data_ + count_}; }

 private:
  std::size_t count_;
  T* data_;
};

/// The parameters of a kernel, one after another, each aligned to its size.
template <class... Ts>
std::vector<std::byte> parameters(const Ts&... values) {
  std::vector<std::byte> block;
  [[maybe_unused]] const auto append = [&](const auto& value) {
    block.resize((block.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    block.insert(block.end(), bytes, bytes + sizeof value);
  };
  (append(values), ...);
  return block;
}

/// A module whose variables have places.
class program {
 public:
  explicit program(const std::string& text) : module_(text) {
    for (const ptx::variable& v : module_.variables()) {
      if (v.space == ptx::state_space::shared) continue;
      places_.push_back(std::make_unique<words<std::byte>>(v.bytes));
      module_.place(v.name, places_.back()->data());
    }
    module_.relocate();
  }

  const ptx::kernel& kernel(const std::string& name) const {
    const ptx::kernel* const found = module_.find(name);
    if (found == nullptr) throw ptx::error("no kernel " + name);
    return *found;
  }

  template <class... Ts>
  simt::launch_result run(const std::string& name, const simt::grid_shape& grid,
                          const Ts&... values) const {
    return ptx::run(kernel(name), grid, parameters(values...), options);
  }

  const std::vector<std::string>& names() const { return module_.kernels(); }
  const std::string& name(std::size_t i) const { return names().at(i); }

  ptx::launch_options options;

 private:
  ptx::loaded_module module_;
  std::vector<std::unique_ptr<words<std::byte>>> places_;
};

inline simt::grid_shape grid(std::uint32_t blocks, std::uint32_t threads,
                             std::uint32_t cluster_blocks = 1) {
  return {.blocks = {blocks, 1, 1}, .threads = {threads, 1, 1}, .cluster = {cluster_blocks, 1, 1}};
}

inline simt::settings checked_for_races() {
  simt::settings how;
  how.check = simt::checking::races;
  return how;
}

/// What the launch reports; empty if it ends well.
template <class Launch>
std::string report_of(const Launch& launch) {
  try {
    launch();
  } catch (const std::exception& problem) {
    return problem.what();
  }
  return {};
}

/// What a launch reports, and the words that it leaves.
using outcome = std::pair<std::string, std::vector<std::uint32_t>>;

/// Of kernel k, which gets words that are 0, and is checked for races.
inline outcome outcome_of(const std::string& text, const simt::grid_shape& shape,
                          std::size_t count) {
  const simt::scoped_settings scope(checked_for_races());
  const program p(text);
  words<std::uint32_t> out(count);
  const std::string report = report_of([&] { p.run("k", shape, out.data()); });
  return {report, out.all()};
}

inline bool mentions(const std::string& report, std::initializer_list<const char*> parts) {
  for (const char* const part : parts)
    if (report.find(part) == std::string::npos) return false;
  return true;
}

}  // namespace ptx_test
