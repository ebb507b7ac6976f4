// How a GPU is found and read through NVML, with a fake library.
#include "fake_nvml.hpp"

#include <bench/gpu_monitor/nvml.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <variant>

#include <dlfcn.h>

namespace {

namespace fb = finesync::bench;

class nvml : public testing::Test {
 protected:
  nvml() { now() = {}; }
  ~nvml() override { EXPECT_EQ(now().initialized, 0); }

  // The library that the monitor loads, as there is one of each file in a process.
  static fake_nvml& now() {
    static void* const library = dlopen(FAKE_NVML, RTLD_NOW);
    if (library == nullptr) throw std::runtime_error(dlerror());
    using state = decltype(&fake_nvml_state);
    return *reinterpret_cast<state>(dlsym(library, "fake_nvml_state"))();
  }

  static std::unique_ptr<fb::gpu_monitor> watch(const std::string& bus = fake_bus) {
    return fb::watch_by_nvml({fake_uuid, bus}, FAKE_NVML);
  }

  static std::string why_not(const std::string& library = FAKE_NVML,
                             const std::string& bus = fake_bus) {
    try {
      fb::watch_by_nvml({fake_uuid, bus}, library);
    } catch (const std::exception& problem) {
      return problem.what();
    }
    return "";
  }
};

TEST_F(nvml, tells_the_driver_the_card_and_its_settings) {
  EXPECT_EQ(watch()->card(), (fb::parameters{{"driver_version", std::string("580.159.04")},
                                             {"uuid", std::string("GPU-of-the-card")},
                                             {"power_limit_w", 699.5},
                                             {"ecc", std::string("Enabled")},
                                             {"mig", std::string("Disabled")},
                                             {"persistence", std::string("Enabled")}}));
}

TEST_F(nvml, what_the_card_does_not_have_is_missing) {
  now().has_ecc = false;
  EXPECT_FALSE(watch()->card().contains("ecc"));
}

TEST_F(nvml, a_mig_instance_has_its_own_uuid_and_the_clocks_of_its_card) {
  now().mig = true;
  const auto monitor = watch("none");
  EXPECT_EQ(std::get<std::string>(monitor->card().at("uuid")), "MIG-of-the-instance");
  EXPECT_EQ(std::get<std::string>(monitor->card().at("mig")), "Enabled");
  EXPECT_EQ(monitor->state().sm_clock_mhz, 1980);
}

TEST_F(nvml, a_gpu_is_found_by_its_uuid_first) {
  EXPECT_EQ(std::get<std::string>(watch("none")->card().at("uuid")), "GPU-of-the-card");
}

TEST_F(nvml, a_gpu_without_a_known_uuid_is_found_on_its_bus) {
  now().knows_uuid = false;
  EXPECT_EQ(std::get<std::string>(watch()->card().at("uuid")), "GPU-of-the-card");
  EXPECT_EQ(why_not(FAKE_NVML, "0000:00:00.0"), "NVML: the GPU on bus 0000:00:00.0: Not Found");
}

TEST_F(nvml, tells_the_clocks) {
  const fb::gpu_state seen = watch()->state();
  EXPECT_EQ(seen.sm_clock_mhz, 1980);
  EXPECT_EQ(seen.memory_clock_mhz, 2619);
}

TEST_F(nvml, temperature_and_power_supply_throttle) {
  const std::pair<unsigned long long, std::string> cases[] = {
      {nvmlClocksThrottleReasonHwSlowdown, "hardware slowdown"},
      {nvmlClocksEventReasonSwThermalSlowdown, "temperature, by software"},
      {nvmlClocksThrottleReasonHwThermalSlowdown, "temperature, by hardware"},
      {nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "power brake"}};
  const auto monitor = watch();
  for (const auto& [reason, name] : cases) {
    now().reasons = reason | nvmlClocksEventReasonGpuIdle;
    EXPECT_EQ(monitor->state().throttled_by, std::vector<std::string>{name});
    EXPECT_FALSE(monitor->state().power_capped);
  }
}

TEST_F(nvml, idling_settings_and_the_power_limit_do_not) {
  const auto monitor = watch();
  for (const unsigned long long reason :
       {nvmlClocksEventReasonNone, nvmlClocksEventReasonGpuIdle,
        nvmlClocksEventReasonApplicationsClocksSetting, nvmlClocksEventReasonSyncBoost,
        nvmlClocksEventReasonSwPowerCap, nvmlClocksEventReasonDisplayClockSetting}) {
    now().reasons = reason;
    EXPECT_TRUE(monitor->state().throttled_by.empty()) << reason;
    EXPECT_EQ(monitor->state().power_capped, reason == nvmlClocksEventReasonSwPowerCap);
  }
}

TEST_F(nvml, says_in_a_line_why_a_gpu_cannot_be_watched) {
  EXPECT_EQ(why_not("libnothing.so").find("libnothing.so: cannot open"), 0U);
  EXPECT_NE(why_not("libc.so.6").find("has no nvmlInit_v2"), std::string::npos);
  now().init = NVML_ERROR_DRIVER_NOT_LOADED;
  EXPECT_EQ(why_not(), "NVML: it does not start: Driver Not Loaded");
}

}  // namespace
