// A revision that no build has, for the fake program.
#pragma once

namespace finesync::bench {
constexpr const char* git_revision = "0123abc";
constexpr bool git_dirty = true;
}  // namespace finesync::bench
