// Detection of files that are no text.
#pragma once

#include <string>
#include <string_view>

namespace finesync::inputs {

/// Throws input_error if `file` is empty or begins like compressed data or an archive.
void refuse_packed(std::string_view bytes, const std::string& file);

}  // namespace finesync::inputs
