#include <inputs/ratings/ratings.hpp>

namespace finesync::inputs {

degrees degrees_of(const ratings& all) {
  degrees counted{std::vector<std::uint32_t>(all.lefts), std::vector<std::uint32_t>(all.rights)};
  for (const rating& each : all.entries) {
    ++counted.of_lefts[each.left];
    ++counted.of_rights[each.right];
  }
  return counted;
}

}  // namespace finesync::inputs
