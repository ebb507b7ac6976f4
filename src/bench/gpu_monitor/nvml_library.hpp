// SPDX-License-Identifier: Apache-2.0
// The functions of NVML, by name. Only nvml.cpp includes this.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

#include <dlfcn.h>
#include <nvml.h>

// A member with the name and the type of a function in nvml.h, found in the library.
#define FINESYNC_NVML(name) decltype(&::name) name = find<decltype(&::name)>(#name)

namespace finesync::bench {

/// The loaded library, initialized while this lives.
class nvml_library {
 public:
  /// \throws std::runtime_error with one line, if there is no such library, or no driver below it
  explicit nvml_library(const std::string& file);
  ~nvml_library() { nvmlShutdown(); }
  nvml_library(const nvml_library&) = delete;
  nvml_library& operator=(const nvml_library&) = delete;

  /// \throws std::runtime_error that says what was not possible, unless `status` is success
  void check(nvmlReturn_t status, const std::string& what) const {
    if (status != NVML_SUCCESS)
      throw std::runtime_error(fmt::format("NVML: {}: {}", what, nvmlErrorString(status)));
  }

 private:
  struct closed {
    void operator()(void* library) const { dlclose(library); }
  };

  static void* load(const std::string& file) {
    if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    throw std::runtime_error(dlerror());
  }

  template <class Function>
  Function find(const char* name) const {
    if (void* const found = dlsym(loaded_.get(), name)) return reinterpret_cast<Function>(found);
    throw std::runtime_error(fmt::format("this driver's NVML has no {}", name));
  }

  std::unique_ptr<void, closed> loaded_;  // first: the members below look into it

 public:
  FINESYNC_NVML(nvmlInit_v2);
  FINESYNC_NVML(nvmlShutdown);
  FINESYNC_NVML(nvmlErrorString);
  FINESYNC_NVML(nvmlSystemGetDriverVersion);
  FINESYNC_NVML(nvmlDeviceGetHandleByUUID);
  FINESYNC_NVML(nvmlDeviceGetHandleByPciBusId_v2);
  FINESYNC_NVML(nvmlDeviceGetDeviceHandleFromMigDeviceHandle);
  FINESYNC_NVML(nvmlDeviceGetUUID);
  FINESYNC_NVML(nvmlDeviceGetPowerManagementLimit);
  FINESYNC_NVML(nvmlDeviceGetEccMode);
  FINESYNC_NVML(nvmlDeviceGetMigMode);
  FINESYNC_NVML(nvmlDeviceGetPersistenceMode);
  FINESYNC_NVML(nvmlDeviceGetClockInfo);
  FINESYNC_NVML(nvmlDeviceGetCurrentClocksEventReasons);
};

inline nvml_library::nvml_library(const std::string& file) : loaded_(load(file)) {
  check(nvmlInit_v2(), "it does not start");
}

}  // namespace finesync::bench

#undef FINESYNC_NVML
