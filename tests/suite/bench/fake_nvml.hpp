// The stand-in for NVML: one card, of which a MIG instance may be in use.
#pragma once

#include <array>
#include <string>

#include <nvml.h>

/// What the fake library answers; the test sets it.
struct fake_nvml {
  nvmlReturn_t init = NVML_SUCCESS;
  bool knows_uuid = true;  ///< otherwise only the bus
  bool mig = false;        ///< the program runs on an instance
  bool has_ecc = true;
  unsigned long long reasons = 0;
  int initialized = 0;  ///< less the shut-downs
};

/// In the fake library: its state.
extern "C" fake_nvml* fake_nvml_state();

constexpr std::array<char, 16> fake_uuid = {0, 1, 2,      3, 4,      5, 6,      7,
                                            8, 9, '\xaf', 3, '\x40', 5, '\xff', 7};
constexpr const char* fake_digits = "00010203-0405-0607-0809-af034005ff07";
constexpr const char* fake_bus = "0000:1a:00.0";
