// SPDX-License-Identifier: Apache-2.0
// What the library alone has, and no program that is linked with its parts.
#include <cudart/device.hpp>

/// Before the program begins: it may clear its environment.
[[gnu::constructor]] static void read_settings() {
  cudart::settings_of_run();
}
