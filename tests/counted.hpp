// What a test counted, written down for the ledger of claims (results/published/claims).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <string>

namespace finesync::test {

/// Adds a line to the file that FINESYNC_COUNTS names, as `scripts/claims.py --count` has it; does
/// nothing if the variable is not set.
/// \param name the claim's case. \param runs the runs in which events were counted; 0 if the value
/// counts no events.
inline void record_count(const std::string& claim, const std::string& name, double value,
                         unsigned runs = 0) {
  const char* const path = std::getenv("FINESYNC_COUNTS");
  if (path == nullptr) return;
  std::ofstream file(path, std::ios::app);
  file << "{\"claim\": " << std::quoted(claim) << ", \"case\": " << std::quoted(name)
       << ", \"value\": " << std::setprecision(12) << value << ", \"runs\": " << runs << "}\n"
       << std::flush;
  EXPECT_TRUE(file.good()) << path;
}

}  // namespace finesync::test
