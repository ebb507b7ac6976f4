// SPDX-License-Identifier: Apache-2.0
// What the kinds of findings mean, for those who meet one in a code host.
#pragma once

#include <string>

namespace check {

/// A sentence on the rule of a finding; empty for a rule that has none.
std::string meaning_of(const std::string& rule);

}  // namespace check
