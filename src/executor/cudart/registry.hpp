// SPDX-License-Identifier: Apache-2.0
// The modules, kernels and variables that a program has registered.
#pragma once

#include <ptx/module.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace cudart {

/// PTX is read when something of it is asked for: on the device's OS thread, as all else here but
/// the registration.
class loaded_binary {
 public:
  explicit loaded_binary(const std::byte* fat_binary) : fat_binary_(fat_binary) {}

  /// The kernel; null if there is none. Ends the program with a line if its PTX cannot be read.
  const ptx::kernel* kernel(const std::string& name);
  /// Where the variable lies; null if there is none.
  std::byte* variable(const std::string& name);

 private:
  ptx::loaded_module& module();

  const std::byte* fat_binary_;
  std::unique_ptr<ptx::loaded_module> module_;
  std::map<std::string, std::byte*> variables_;
};

struct registered_name {
  loaded_binary* binary = nullptr;
  std::string name;
  std::size_t bytes = 0;  ///< of a variable
};

loaded_binary& add_binary(const std::byte* fat_binary);
void add_kernel(const void* host, registered_name what);
void add_variable(const void* host, registered_name what);

/// Null if nothing was registered with this address of the program.
const registered_name* kernel_at(const void* host);
const registered_name* variable_at(const void* host);

}  // namespace cudart
