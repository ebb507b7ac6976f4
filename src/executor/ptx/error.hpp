// SPDX-License-Identifier: Apache-2.0
// What is wrong with a PTX text, or with a kernel that runs.
#pragma once

#include <stdexcept>

namespace ptx {

/// Malformed text: the message has the line of the PTX and the reason. A kernel that cannot go on:
/// the message has the instruction, the reason and the line of the kernel's source.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ptx
