// Axes, primitives and others that have a name, by that.
#pragma once

#include <algorithm>
#include <string>

namespace finesync::bench {

/// Where the first of that name is; the end where there is none.
template <class Items>
auto named(const Items& items, const std::string& name) {
  return std::find_if(items.begin(), items.end(),
                      [&](const auto& each) { return each.name == name; });
}

}  // namespace finesync::bench
