// SPDX-License-Identifier: Apache-2.0
// Comma-separated lists, as users write them.
#pragma once

#include <bench/usage_error.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// The items between the commas of `text`; never empty, but items may be.
inline std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> items;
  while (true) {
    const auto comma = text.find(',');
    items.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

/// The same for the value of `option`, whose items must not be empty, unless it is empty as a
/// whole.
inline std::vector<std::string_view> items_of(std::string_view text, const std::string& option) {
  std::vector<std::string_view> items = split_at_commas(text);
  if (items.size() > 1 && std::find(items.begin(), items.end(), "") != items.end())
    throw usage_error(option + ": there is a comma too many in '" + std::string(text) + "'");
  return items;
}

}  // namespace finesync::bench
