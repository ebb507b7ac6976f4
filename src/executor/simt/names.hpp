// SPDX-License-Identifier: Apache-2.0
// Tables with the names of enumerators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace simt {

/// The name of an enumerator that is in the table.
template <class Enum, std::size_t Count>
constexpr const char* name_in(const std::pair<Enum, const char*> (&names)[Count], Enum what) {
  return std::ranges::find(names, what, &std::pair<Enum, const char*>::first)->second;
}

}  // namespace simt
