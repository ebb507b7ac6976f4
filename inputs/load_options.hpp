// Options for loading inputs.
#pragma once

#include <cstdint>
#include <filesystem>

namespace finesync::inputs {

struct load_options {
  std::uint32_t seed = 2019;  ///< of generated inputs
  /// Size from which files are cached; parsing smaller ones takes no noticeable time.
  std::uint64_t least_cached_bytes = 16 << 20;
  std::filesystem::path cache_folder = {};  ///< must exist; empty: the folder of the file
};

}  // namespace finesync::inputs
