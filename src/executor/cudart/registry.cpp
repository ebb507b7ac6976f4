// SPDX-License-Identifier: Apache-2.0
#include <cudart/device.hpp>
#include <cudart/fat_binary.hpp>
#include <cudart/findings.hpp>
#include <cudart/registry.hpp>
#include <simt/arena.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

namespace cudart {

namespace {

/// What nvcc's stubs pass. Of a program that was linked by -rdc=true, `fat_binary` has none of its
/// PTX.
struct fat_binary_wrapper {
  int magic;
  int version;  ///< 2: the program was linked
  const std::byte* fat_binary;
  const std::byte* const* linked;  ///< those of its objects, then null
};

// Programs register before the constructors of this library may have run.
struct registered {
  std::deque<loaded_binary> binaries;
  std::map<const void*, registered_name> kernels;
  std::map<const void*, registered_name> variables;
};
registered& all() {
  static registered& made = *new registered;
  return made;
}

const registered_name* found_in(const std::map<const void*, registered_name>& names,
                                const void* host) {
  const auto found = names.find(host);
  return found == names.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<std::string> loaded_binary::texts() const {
  std::vector<std::string> found;
  for (const std::byte* each : fat_binaries_) {
    try {
      found.push_back(ptx_of({each, fat_binary_bytes({each, fat_binary_header_bytes})}));
    } catch (const fat_binary_error&) {
      // CUDA's own libdevrt, which is linked to each program, has none. What a kernel calls there
      // is refused by its name.
      if (found.empty() && each == fat_binaries_.back()) throw;
    }
  }
  return found;
}

ptx::loaded_module& loaded_binary::module() {
  if (module_) return *module_;
  try {
    module_ = std::make_unique<ptx::loaded_module>(texts());
    for (const ptx::variable& each : module_->variables()) {
      if (each.space == ptx::state_space::shared || each.is_external) continue;
      simt::label what;
      what.called = fmt::format("variable '{}'", each.name);
      void* const at = simt::global_memory().allocate(std::max<std::size_t>(each.bytes, 1), what);
      std::memset(at, 0, each.bytes);
      module_->place(each.name, at);
      variables_[each.name] = static_cast<std::byte*>(at);
    }
    module_->relocate();
  } catch (const std::exception& problem) {
    refuse(problem.what());
  }
  return *module_;
}

const ptx::kernel* loaded_binary::kernel(const std::string& name) {
  try {
    return module().find(name);
  } catch (const ptx::error& problem) {
    refuse(problem.what());
  }
}

std::byte* loaded_binary::variable(const std::string& name) {
  module();
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : found->second;
}

loaded_binary& add_binary(std::vector<const std::byte*> fat_binaries) {
  return all().binaries.emplace_back(std::move(fat_binaries));
}
void add_kernel(const void* host, registered_name what) {
  all().kernels[host] = std::move(what);
}
void add_variable(const void* host, registered_name what) {
  all().variables[host] = std::move(what);
}
const registered_name* kernel_at(const void* host) {
  return found_in(all().kernels, host);
}
const registered_name* variable_at(const void* host) {
  return found_in(all().variables, host);
}

std::byte* address_of_symbol(const void* host) {
  const registered_name* const which = variable_at(host);
  if (which == nullptr) return nullptr;
  std::byte* at = nullptr;
  on_device([&] { at = which->binary->variable(which->name); });
  return at;
}

}  // namespace cudart

// What nvcc's stubs call before main().
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const auto& what = *static_cast<const cudart::fat_binary_wrapper*>(wrapper);
  std::vector<const std::byte*> all;
  for (const std::byte* const* each = what.linked; what.version == 2 && *each != nullptr; ++each)
    all.push_back(*each);
  if (all.empty()) all.push_back(what.fat_binary);
  return reinterpret_cast<void**>(&cudart::add_binary(std::move(all)));
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 1;
}
void __cudaRegisterFunction(void** binary, const char* host, char*, const char* name, int, void*,
                            void*, void*, void*, int*) {
  cudart::add_kernel(host, {reinterpret_cast<cudart::loaded_binary*>(binary), name, 0});
}
void __cudaRegisterVar(void** binary, char* host, char*, const char* name, int, std::size_t bytes,
                       int, int) {
  cudart::add_variable(host, {reinterpret_cast<cudart::loaded_binary*>(binary), name, bytes});
}

}  // extern "C"
