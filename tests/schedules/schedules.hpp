// How many schedules a primitive that is right goes through here without a race or a wrong result:
// 500, or what the environment says (scripts/nightly.sh).
#pragma once

#include <gtest/gtest.h>
#include <tests/locks/exploration.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace finesync::test {

inline unsigned schedules_of_each() {
  const char* const wanted = std::getenv("FINESYNC_SCHEDULES");
  return wanted == nullptr ? 500u : static_cast<unsigned>(std::stoul(wanted));
}

/// A launch of a few threads takes less time than to set up a GPU of several SMs for it.
template <class Check>
unsigned failing_of_many(Check right) {
  const auto on_two_sms = [&] {
    simt::settings how = simt::current_settings();
    how.gpu.sms = 2;
    const simt::scoped_settings scoped(how);
    return right();
  };
  return failing_seeds(simt::memory_kind::strong, schedules_of_each(), on_two_sms);
}

}  // namespace finesync::test
