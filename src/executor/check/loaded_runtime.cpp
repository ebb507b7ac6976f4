// SPDX-License-Identifier: Apache-2.0
#include <check/loaded_runtime.hpp>
#include <check/traced_process.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace check {

namespace {

constexpr const char* library = "libcudart.so";

std::string value_in(const std::vector<std::string>& variables, const std::string& name) {
  for (const std::string& each : variables)
    if (each.starts_with(name + "=")) return each.substr(name.size() + 1);
  return {};
}

/// The loader takes LD_PRELOAD first, then RPATH, then LD_LIBRARY_PATH, then RUNPATH.
std::string reason_of(const mapped_file& loaded, const std::string& own_folder) {
  if (value_in(loaded.variables, "LD_PRELOAD").find(library) != std::string::npos)
    return "LD_PRELOAD names it: unset that";
  if (value_in(loaded.variables, "LD_LIBRARY_PATH").find(own_folder) == std::string::npos) {
    return "the process was started without the LD_LIBRARY_PATH that finesync-check sets: let it "
           "keep its environment (env -i, clearenv() and sudo clear it)";
  }
  return "the program names its folder by an RPATH, which comes before LD_LIBRARY_PATH, or opens "
         "it by its whole path: link it with -Xlinker --enable-new-dtags, or remove the RPATH "
         "(chrpath -d, patchelf --remove-rpath)";
}

}  // namespace

std::string other_runtime_of(const request& what) {
  const std::string own = runtime_folder();
  const auto is_other_runtime = [&](const std::string& path) {
    const std::filesystem::path file(path);
    return file.filename().string().starts_with(library) && file.parent_path() != own;
  };
  const auto loaded = find_mapped_file(what.command, environment_of(what.settings),
                                       what.seconds_per_run, is_other_runtime);
  if (!loaded) return {};
  return fmt::format("CUDA's own runtime was loaded from {} in place of finesync-check's; {}",
                     loaded->path, reason_of(*loaded, own));
}

}  // namespace check
