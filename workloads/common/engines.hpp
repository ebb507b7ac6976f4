// Several GPUs on the command line: how many, and the engine by which they reach each other's
// memory.
#pragma once

#include <bench/axis.hpp>
#include <bench/usage_error.hpp>
#include <finesync/host/peers.cuh>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace finesync::workload {

inline bench::axis gpus() {
  return {.name = "gpus",
          .help = "GPUs with a grid each; where there are fewer, grids share one, and its blocks",
          .values = {1},
          .min = 1,
          .max = peers::most};
}

/// The engines that this build has.
inline bench::axis engine() {
  return bench::named_axis(
      "engine", "how GPUs reach each other's memory: by peer access within one process", {"peers"});
}

/// What the words of a command line give for --engine; empty if they do not.
inline std::string asked_engine(const std::vector<std::string>& words) {
  const std::string_view option = "--engine";
  std::string asked;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view given = words[i];
    if (!given.starts_with(option)) continue;
    given.remove_prefix(option.size());
    if (given.empty() && i + 1 < words.size())
      asked = words[i + 1];
    else if (given.starts_with('='))
      asked = given.substr(1);
  }
  return asked;
}

/// \param words a command line. \throws bench::usage_error if it asks for an engine that is planned
/// and not there.
inline void expect_no_absent_engine(const std::vector<std::string>& words) {
  const std::string asked = asked_engine(words);
  for (const auto& [value, name] : {std::pair{"nccl", "NCCL"}, std::pair{"nvshmem", "NVSHMEM"}})
    if (asked == value)
      throw bench::usage_error(std::string("--engine: this build has no ") + name +
                               ", use --engine peers");
}

}  // namespace finesync::workload
