// What people hand over instead of a text.
#pragma once

#include <string>
#include <string_view>

namespace finesync::inputs {

/// Throws input_error where the bytes of `file` begin as compressed data or an archive does, or
/// where there are none.
void refuse_packed(std::string_view bytes, const std::string& file);

}  // namespace finesync::inputs
