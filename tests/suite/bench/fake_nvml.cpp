#include "fake_nvml.hpp"

#include <cstring>

namespace {

fake_nvml now;
char a_card;
char an_instance;

nvmlDevice_t card() {
  return reinterpret_cast<nvmlDevice_t>(&a_card);
}

nvmlDevice_t instance() {
  return reinterpret_cast<nvmlDevice_t>(&an_instance);
}

// As the true one, it tells of an instance nothing that is the card's.
nvmlReturn_t answer(nvmlDevice_t device, unsigned int* to, unsigned int value) {
  if (device != card()) return NVML_ERROR_NOT_SUPPORTED;
  *to = value;
  return NVML_SUCCESS;
}

}  // namespace

extern "C" {

fake_nvml* fake_nvml_state() {
  return &now;
}

nvmlReturn_t nvmlInit_v2() {
  if (now.init == NVML_SUCCESS) ++now.initialized;
  return now.init;
}

nvmlReturn_t nvmlShutdown() {
  --now.initialized;
  return NVML_SUCCESS;
}

const char* nvmlErrorString(nvmlReturn_t result) {
  return result == NVML_ERROR_DRIVER_NOT_LOADED ? "Driver Not Loaded" : "Not Found";
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  std::strncpy(version, "580.159.04", length);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  const std::string mine = (now.mig ? "MIG-" : "GPU-") + std::string(fake_digits);
  if (!now.knows_uuid || uuid != mine) return NVML_ERROR_NOT_FOUND;
  *device = now.mig ? instance() : card();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus, nvmlDevice_t* device) {
  if (std::string(bus) != fake_bus) return NVML_ERROR_NOT_FOUND;
  *device = card();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t of, nvmlDevice_t* device) {
  if (of != instance()) return NVML_ERROR_INVALID_ARGUMENT;
  *device = card();
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned int length) {
  const std::string text = (device == card() ? "GPU-of-the-card" : "MIG-of-the-instance");
  std::strncpy(uuid, text.c_str(), length);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int* limit) {
  return answer(device, limit, 699'500);
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* current,
                                  nvmlEnableState_t* pending) {
  if (device != card() || !now.has_ecc) return NVML_ERROR_NOT_SUPPORTED;
  *current = NVML_FEATURE_ENABLED;
  *pending = NVML_FEATURE_DISABLED;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int* current,
                                  unsigned int* pending) {
  *pending = 1;
  return answer(device, current, now.mig ? 1 : 0);
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  *mode = NVML_FEATURE_ENABLED;
  return device == card() ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type,
                                    unsigned int* clock) {
  return answer(device, clock, type == NVML_CLOCK_SM ? 1980 : 2619);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device,
                                                    unsigned long long* reasons) {
  *reasons = now.reasons;
  return device == card() ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

}  // extern "C"
