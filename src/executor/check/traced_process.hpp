// SPDX-License-Identifier: Apache-2.0
// What processes have loaded, seen when they end: the system stops them there for their tracer.
#pragma once

#include <check/process.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace check {

struct mapped_file {
  std::string path;
  std::vector<std::string> variables;  ///< "NAME=value", as its process was started with
};

/// Runs the command without its output until one of its processes ends with such a file mapped;
/// then, or after this time, kills them all. Nothing if no process has one, or the system does not
/// let this one trace.
std::optional<mapped_file> find_mapped_file(
    const std::vector<std::string>& command, const environment& added, unsigned seconds,
    const std::function<bool(const std::string& path)>& is_wanted);

}  // namespace check
