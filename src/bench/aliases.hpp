// SPDX-License-Identifier: Apache-2.0
// Former names (those of the previous version), which command lines may still use.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace finesync::bench {

struct declaration;

/// Current names by former names: of axes, and per current axis those of its values.
struct aliases {
  std::map<std::string, std::string> axes = {};
  std::map<std::string, std::map<std::string, std::string>> values = {};
};

/// Replaces former names of axes, values and primitives (their aliases) by current ones, unless the
/// name is in use today. \returns one line for each, "--lock-padding is now --lock-layout".
std::vector<std::string> use_names_of_today(const declaration& declared,
                                            std::vector<std::string>& arguments);

}  // namespace finesync::bench
