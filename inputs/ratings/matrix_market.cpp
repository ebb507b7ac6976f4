// Matrix Market's coordinate format.
#include <inputs/matrix_market.hpp>
#include <inputs/ratings/coordinates.hpp>
#include <inputs/ratings/text_formats.hpp>

namespace finesync::inputs {

ratings parse_matrix_market(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  const matrix_market_head head = read_matrix_market_head(at, {"general"});
  return read_coordinates(at, {.entries = head.entries, .lefts = head.rows, .rights = head.columns},
                          head.is_pattern ? value_column::absent : value_column::required);
}

}  // namespace finesync::inputs
