// Many schedules, on all of which a correct primitive has no race and no wrong result.
#pragma once

#include <tests/library/harness/harness.hpp>

namespace finesync::test {

/// The setup of a GPU with several SMs takes longer than a launch of a few threads.
template <class Check>
unsigned failing_of_many(Check right) {
  const auto on_two_sms = [&] {
    simt::settings config = simt::current_settings();
    config.gpu.sms = 2;
    const simt::scoped_settings scoped(config);
    return right();
  };
  return failing_seeds(strong, seed_budget(400), on_two_sms);
}

}  // namespace finesync::test
