// SPDX-License-Identifier: Apache-2.0
// A request that cannot be fulfilled: ends the program with one line and exit status 2.
#pragma once

#include <stdexcept>

namespace finesync::bench {

/// Its text is one line that says what is wrong and, if possible, what would be right.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace finesync::bench
