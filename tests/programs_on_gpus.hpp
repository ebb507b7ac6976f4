// What tests of programs on several GPUs share: runs on random schedules, rows and refusals.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/error.cuh>
#include <simt/settings.hpp>

#include <gtest/gtest.h>
#include <tests/primitives.hpp>

#include <string>
#include <variant>

namespace finesync::workload {

/// With 1, 2 and 4 GPUs, two runs in a row are right on as many schedules in weak memory.
/// \param make makes the experiment for a number of GPUs.
template <class Make>
void expect_right_on_gpus(unsigned seeds, const Make& make) {
  for (const unsigned gpus : {1u, 2u, 4u}) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
      const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
      const auto experiment = make(gpus);
      for (int run = 0; run < 2; ++run) {
        const bench::outcome ended = ending(*experiment);
        ASSERT_TRUE(ended.ok()) << gpus << " GPUs, seed " << seed << ": " << ended.reason;
      }
    }
  }
}

/// Of 20 schedules, those on which a run ends with a reason that has these words, or a hang.
/// \param enough ends the search.
template <class Make>
unsigned failing_runs(simt::memory_kind memory, const Make& make, const std::string& words = "",
                      unsigned enough = 1) {
  unsigned failing = 0;
  for (unsigned seed = 0; seed < 20 && failing < enough; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, memory));
    try {
      const bench::outcome ended = ending(*make());
      failing += !ended.ok() && ended.reason.find(words) != std::string::npos;
    } catch (const hang_error&) {
      ++failing;
    }
  }
  return failing;
}

/// A number of the row.
inline long long effective_number(const bench::experiment& which, const char* name) {
  return std::get<long long>(which.effective_parameters().at(name));
}

/// \param words of the refusal.
template <class Make>
void expect_infeasible(const Make& make, const std::string& words) {
  try {
    make();
    ADD_FAILURE() << "was accepted, without: " << words;
  } catch (const bench::infeasible& refusal) {
    EXPECT_NE(std::string(refusal.what()).find(words), std::string::npos) << refusal.what();
  }
}

}  // namespace finesync::workload
