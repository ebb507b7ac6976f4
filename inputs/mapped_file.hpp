// A file's bytes, without a copy of them.
#pragma once

#include <filesystem>
#include <string_view>

namespace finesync::inputs {

/// A regular file in memory, read-only, paged in as it is read: files may be larger than memory.
/// It must keep its length meanwhile.
class mapped_file {
 public:
  /// Throws input_error where there is no regular file that can be read.
  explicit mapped_file(const std::filesystem::path& file);
  ~mapped_file();
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace finesync::inputs
