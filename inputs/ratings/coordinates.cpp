#include <inputs/ratings/coordinates.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace finesync::inputs {
namespace {

// The shortest line is "1 1" and its end, which the last line may lack.
constexpr std::size_t least_line = 4;

float read_value(line_cursor& at, value_column values) {
  at.skip_blanks();
  if (values == value_column::absent || (values == value_column::optional && at.at_line_end()))
    return 1;
  if (values == value_column::integer) return at.integer_value();
  const float value = at.value();
  at.skip_blanks();
  if (values == value_column::optional && !at.at_line_end()) at.value();  // a time
  return value;
}

void check_all_came(const line_cursor& at, const announced& sizes,
                    const std::vector<rating>& came) {
  if (came.empty()) at.fail("there are no ratings");
  if (!sizes.entries || came.size() == *sizes.entries) return;
  double sum = 0;
  if (sizes.sum_is_entries)
    for (const rating& each : came) sum += static_cast<double>(each.value);
  if (sum != static_cast<double>(*sizes.entries))
    at.fail(fmt::format("the file ends after {} of the {} entries announced", came.size(),
                        *sizes.entries));
}

// Users of the ratings allocate memory per id, so the number of ids must be plausible for the file.
void check_dense(const line_cursor& at, const char* what, std::uint64_t ids, std::size_t bytes) {
  constexpr std::uint64_t always_fine = 1 << 20;
  if (ids > std::max<std::uint64_t>(bytes, always_fine))
    at.fail(fmt::format("{} {} in {} bytes: most of these ids cannot occur", ids, what, bytes));
}

}  // namespace

ratings read_coordinates(line_cursor& at, const announced& sizes, value_column values) {
  const std::size_t bytes = at.bytes_left();
  const std::size_t max_lines = (bytes + 1) / least_line;
  if (sizes.entries > max_lines && !sizes.sum_is_entries)
    at.fail(fmt::format("{} entries are announced, and the file has room for {} at most",
                        *sizes.entries, max_lines));
  ratings all;
  all.entries.reserve(std::min<std::uint64_t>(sizes.entries.value_or(0), max_lines));
  std::uint64_t lefts = 0;
  std::uint64_t rights = 0;
  while (at.find_word()) {
    if (all.entries.size() == sizes.entries)
      at.fail(fmt::format("there are more than the {} entries announced", *sizes.entries));
    const std::uint64_t left = at.integer("a left id", 1, sizes.lefts);
    at.skip_blanks();
    const std::uint64_t right = at.integer("a right id", 1, sizes.rights);
    const float value = read_value(at, values);
    sizes.entries ? at.end_line() : at.end_whole_line();
    lefts = std::max(lefts, left);
    rights = std::max(rights, right);
    all.entries.push_back(
        {static_cast<std::uint32_t>(left - 1), static_cast<std::uint32_t>(right - 1), value});
  }
  check_all_came(at, sizes, all.entries);
  if (sizes.entries) {
    lefts = sizes.lefts;
    rights = sizes.rights;
  }
  check_dense(at, "lefts", lefts, bytes);
  check_dense(at, "rights", rights, bytes);
  all.lefts = static_cast<std::uint32_t>(lefts);
  all.rights = static_cast<std::uint32_t>(rights);
  return all;
}

}  // namespace finesync::inputs
