// The text in a file.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace finesync::inputs {

/// The bytes of `file` without UTF-8's byte order mark, which some editors put first. Throws
/// input_error if there are none, or if they begin like UTF-16 or UTF-32, compressed data or an
/// archive.
std::string_view text_in(std::string_view bytes, const std::string& file);

/// Whether the first line of a text begins with these characters, after blanks.
inline bool begins_with(std::string_view text, std::string_view wanted) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.starts_with(wanted);
}

}  // namespace finesync::inputs
