// SPDX-License-Identifier: Apache-2.0
// The modules, kernels and variables that a program has registered.
#pragma once

#include <ptx/module.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cudart {

/// PTX is read when something of it is asked for: on the device's OS thread, as all else here but
/// the registration.
class loaded_binary {
 public:
  /// \param fat_binaries of the modules that the program links.
  explicit loaded_binary(std::vector<const std::byte*> fat_binaries)
      : fat_binaries_(std::move(fat_binaries)) {}

  /// The kernel; null if there is none. Ends the program with a line if its PTX cannot be read.
  const ptx::kernel* kernel(const std::string& name);
  /// Where the variable lies; null if there is none.
  std::byte* variable(const std::string& name);

 private:
  /// The PTX of each. \throws fat_binary_error if none has any.
  std::vector<std::string> texts() const;
  ptx::loaded_module& module();

  std::vector<const std::byte*> fat_binaries_;
  std::unique_ptr<ptx::loaded_module> module_;
  std::map<std::string, std::byte*> variables_;
};

struct registered_name {
  loaded_binary* binary = nullptr;
  std::string name;
  std::size_t bytes = 0;  ///< of a variable
};

loaded_binary& add_binary(std::vector<const std::byte*> fat_binaries);
void add_kernel(const void* host, registered_name what);
void add_variable(const void* host, registered_name what);

/// Null if nothing was registered with this address of the program.
const registered_name* kernel_at(const void* host);
const registered_name* variable_at(const void* host);
/// Where the device has the variable that was registered with this address; null as above.
std::byte* address_of_symbol(const void* host);

}  // namespace cudart
