// SPDX-License-Identifier: Apache-2.0
// A PTX module, as nvcc writes it: its variables and its kernels.
#pragma once

#include <ptx/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptx {

enum class state_space : std::uint8_t { global, constant, shared };

/// A variable of the module. Those that a kernel or function declares for itself are not listed.
struct variable {
  std::string name;
  state_space space = state_space::global;
  std::size_t bytes = 0;  ///< 0: dynamic shared memory
  std::size_t alignment = 1;
  std::vector<std::byte> initial;  ///< what it begins with; shorter than `bytes`: zeros follow
  /// Places that begin with the address of another variable or of a function.
  struct address_of {
    std::size_t offset = 0;
    std::string name;
    std::int64_t addend = 0;
  };
  std::vector<address_of> addresses;
  bool is_external = false;  ///< declared here, defined in another module
};

struct parameter {
  std::size_t offset = 0;  ///< in the block of parameters
  std::size_t bytes = 0;
  std::size_t alignment = 1;
};

class program;

/// A kernel with all that it calls. Lives as long as its module.
struct kernel {
  std::string name;  ///< mangled
  std::vector<parameter> parameters;
  std::size_t parameter_bytes = 0;
  std::size_t static_shared_bytes = 0;
  std::size_t register_bytes = 0;  ///< per thread, in the deepest chain of calls that is known
  std::size_t local_bytes = 0;     ///< the same of local memory
  std::size_t instructions = 0;
  using extent = std::array<std::uint32_t, 3>;
  extent most_threads{};                ///< .maxntid; zeros where not given
  extent required_threads{};            ///< .reqntid
  extent cluster_blocks{};              ///< .reqnctapercluster
  bool is_cluster_explicit = false;     ///< .explicitcluster
  bool overlaps_launches = false;       ///< it has a griddepcontrol
  bool fences_system = false;           ///< it has a fence of system scope
  std::shared_ptr<const program> code;  ///< what run() executes
};

/// From now on paths of sources below this folder are shown relative to it, and others whole. At
/// first it is the current folder.
void show_sources_from(const std::string& folder);

/// Finding and placing may be called by several OS threads at once, running too.
class loaded_module {
 public:
  /// \param texts modules that the program links. \throws error if one is not PTX.
  explicit loaded_module(std::vector<std::string> texts);
  explicit loaded_module(std::string text) : loaded_module(std::vector{std::move(text)}) {}
  ~loaded_module();
  loaded_module(const loaded_module&) = delete;
  loaded_module& operator=(const loaded_module&) = delete;

  const std::vector<variable>& variables() const;

  /// The names of all kernels.
  const std::vector<std::string>& kernels() const;

  /// Decodes the kernel when it is asked for the first time. \returns null if there is no such
  /// kernel. \throws error if what it consists of is malformed.
  const kernel* find(std::string_view name) const;

  /// Says where a global or constant variable lies: `bytes` of it in the executor's global memory.
  /// Copies what it begins with to there, but for the addresses of other variables.
  /// \throws error if there is no such variable.
  void place(std::string_view name, void* address);

  /// Writes the addresses that variables begin with. For after the last place().
  /// \throws error if one of them has no place.
  void relocate();

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace ptx
