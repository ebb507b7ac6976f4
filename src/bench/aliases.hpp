// Names of the version before, which command lines may still use.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace finesync::bench {

struct declaration;

/// Today's names of axes, and by these those of their values, by the names they had.
struct aliases {
  std::map<std::string, std::string> axes = {};
  std::map<std::string, std::map<std::string, std::string>> values = {};
};

/// Puts today's names in place of former ones that nothing of today has: of axes, of values, and of
/// primitives (their aliases). \returns one line for each, "--lock-padding is now --lock-layout".
std::vector<std::string> use_names_of_today(const declaration& declared,
                                            std::vector<std::string>& arguments);

}  // namespace finesync::bench
