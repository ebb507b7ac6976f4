// SPDX-License-Identifier: Apache-2.0
#include <bench/gpu_monitor/nvml.hpp>
#include <bench/gpu_monitor/nvml_library.hpp>

#include <array>
#include <utility>

namespace finesync::bench {
namespace {

// Idling, or a clock set by a user, is none of these: a GPU is idle between two runs, and the
// other is meant.
constexpr std::pair<unsigned long long, const char*> throttles[] = {
    {nvmlClocksThrottleReasonHwSlowdown, "hardware slowdown"},
    {nvmlClocksEventReasonSwThermalSlowdown, "temperature, by software"},
    {nvmlClocksThrottleReasonHwThermalSlowdown, "temperature, by hardware"},
    {nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "power brake"}};

// As NVML writes it, without the word in front: groups of 4, 2, 2, 2 and 6 bytes.
std::string digits(const std::array<char, 16>& uuid) {
  std::string text;
  for (std::size_t place = 0; place < uuid.size(); ++place) {
    if (place == 4 || place == 6 || place == 8 || place == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid[place]));
  }
  return text;
}

// One card, and the MIG instance of it on which the program runs, if it does.
struct watched {
  nvmlDevice_t card = nullptr;
  nvmlDevice_t instance = nullptr;
};

watched find(const nvml_library& nvml, const gpu_identity& gpu) {
  watched found;
  const std::string uuid = digits(gpu.uuid);
  if (nvml.nvmlDeviceGetHandleByUUID(("GPU-" + uuid).c_str(), &found.card) == NVML_SUCCESS)
    return found;
  if (nvml.nvmlDeviceGetHandleByUUID(("MIG-" + uuid).c_str(), &found.instance) == NVML_SUCCESS) {
    nvml.check(nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(found.instance, &found.card),
               "the GPU of the MIG instance");
    return found;
  }
  nvml.check(nvml.nvmlDeviceGetHandleByPciBusId_v2(gpu.pci_bus_id.c_str(), &found.card),
             "the GPU on bus " + gpu.pci_bus_id);
  return found;
}

std::string word(unsigned int mode) {
  return mode == 0 ? "Disabled" : "Enabled";
}

class nvml_monitor : public gpu_monitor {
 public:
  nvml_monitor(const gpu_identity& gpu, const std::string& library)
      : nvml_(library), gpu_(find(nvml_, gpu)) {}

  parameters card() override {
    std::array<char, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE> version = {};
    nvml_.check(nvml_.nvmlSystemGetDriverVersion(version.data(), version.size()), "its version");
    std::array<char, NVML_DEVICE_UUID_V2_BUFFER_SIZE> uuid = {};
    nvml_.check(nvml_.nvmlDeviceGetUUID(gpu_.instance != nullptr ? gpu_.instance : gpu_.card,
                                        uuid.data(), uuid.size()),
                "the UUID");
    parameters known = {{"driver_version", std::string(version.data())},
                        {"uuid", std::string(uuid.data())}};
    unsigned int now = 0;
    unsigned int after_reset = 0;
    if (nvml_.nvmlDeviceGetPowerManagementLimit(gpu_.card, &now) == NVML_SUCCESS)
      known["power_limit_w"] = now / 1e3;
    nvmlEnableState_t mode = NVML_FEATURE_DISABLED;
    nvmlEnableState_t pending = NVML_FEATURE_DISABLED;
    if (nvml_.nvmlDeviceGetEccMode(gpu_.card, &mode, &pending) == NVML_SUCCESS)
      known["ecc"] = word(mode);
    if (nvml_.nvmlDeviceGetMigMode(gpu_.card, &now, &after_reset) == NVML_SUCCESS)
      known["mig"] = word(now);
    if (nvml_.nvmlDeviceGetPersistenceMode(gpu_.card, &mode) == NVML_SUCCESS)
      known["persistence"] = word(mode);
    return known;
  }

  gpu_state state() override {
    gpu_state seen = {.sm_clock_mhz = clock(NVML_CLOCK_SM),
                      .memory_clock_mhz = clock(NVML_CLOCK_MEM)};
    unsigned long long reasons = 0;
    if (nvml_.nvmlDeviceGetCurrentClocksEventReasons(gpu_.card, &reasons) != NVML_SUCCESS)
      return seen;
    for (const auto& [bit, name] : throttles)
      if ((reasons & bit) != 0) seen.throttled_by.emplace_back(name);
    seen.power_capped = (reasons & nvmlClocksEventReasonSwPowerCap) != 0;
    return seen;
  }

 private:
  int clock(nvmlClockType_t which) const {
    unsigned int mhz = 0;
    return nvml_.nvmlDeviceGetClockInfo(gpu_.card, which, &mhz) == NVML_SUCCESS
               ? static_cast<int>(mhz)
               : 0;
  }

  nvml_library nvml_;
  watched gpu_;
};

}  // namespace

std::unique_ptr<gpu_monitor> watch_by_nvml(const gpu_identity& gpu, const std::string& library) {
  return std::make_unique<nvml_monitor>(gpu, library);
}

}  // namespace finesync::bench
