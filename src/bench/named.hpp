// SPDX-License-Identifier: Apache-2.0
// Finds axes, primitives and other items by name.
#pragma once

#include <algorithm>
#include <string>

namespace finesync::bench {

/// The first item of that name, or the end.
template <class Items>
auto named(const Items& items, const std::string& name) {
  return std::find_if(items.begin(), items.end(),
                      [&](const auto& each) { return each.name == name; });
}

}  // namespace finesync::bench
