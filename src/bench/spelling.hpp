// SPDX-License-Identifier: Apache-2.0
// Suggestions for mistyped names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// The known name closest to `word` (fewest inserted, deleted or replaced letters), or an empty
/// string when none is close enough.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace finesync::bench
