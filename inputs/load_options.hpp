// How inputs are loaded.
#pragma once

#include <cstdint>
#include <filesystem>

namespace finesync::inputs {

struct load_options {
  std::uint32_t seed = 2019;  ///< of what is generated
  /// Files of at least so many bytes are cached; smaller ones are parsed faster than one can
  /// tell.
  std::uint64_t least_cached_bytes = 16 << 20;
  std::filesystem::path cache_folder = {};  ///< must be there; empty: the folder of the file
};

}  // namespace finesync::inputs
