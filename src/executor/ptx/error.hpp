// SPDX-License-Identifier: Apache-2.0
// What is wrong with a PTX text.
#pragma once

#include <stdexcept>

namespace ptx {

/// The message has the line of the PTX and the reason.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ptx
