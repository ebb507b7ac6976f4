// The bytes of a file without a copy.
#pragma once

#include <filesystem>
#include <string_view>

namespace finesync::inputs {

/// A regular file mapped read-only: pages are read on use, so files may be larger than memory. The
/// file must not change its length meanwhile.
class mapped_file {
 public:
  /// Throws input_error if this is not a readable regular file.
  explicit mapped_file(const std::filesystem::path& file);
  ~mapped_file();
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace finesync::inputs
