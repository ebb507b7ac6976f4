// Comma-separated lists, as users write them.
#pragma once

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

}  // namespace finesync::bench
