// The many schedules that a primitive that is right goes through without a race or a wrong result.
#pragma once

#include <gtest/gtest.h>
#include <tests/locks/exploration.hpp>

#include <algorithm>

namespace finesync::test {

/// A launch of a few threads takes less time than to set up a GPU of several SMs for it.
template <class Check>
unsigned failing_of_many(Check right) {
  const auto on_two_sms = [&] {
    simt::settings config = simt::current_settings();
    config.gpu.sms = 2;
    const simt::scoped_settings scoped(config);
    return right();
  };
  return failing_seeds(simt::memory_kind::strong, seed_budget(400), on_two_sms);
}

}  // namespace finesync::test
