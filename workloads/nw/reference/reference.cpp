#include <workloads/nw/reference/reference.hpp>

#include <algorithm>
#include <utility>

namespace finesync::nw {
namespace {

// All values are computed as lifted(i, j) = at(i, j) + gap * (i + j): borders are 0, gaps cost
// nothing, and
//|  lifted(i, j) = max(lifted(i-1, j), lifted(i-1, j-1) + similarity + 2 * gap, lifted(i, j-1)).
// The step from the row above has no dependence between cells, so compilers vectorize it. The
// dependence along the row is one maximum per cell.
using row = std::vector<std::int32_t>;

// For each letter of a row, the value added on the diagonal of each column, from column 1.
std::vector<row> profiles_of(letters across, const inputs::scoring& by, std::int32_t gap) {
  std::vector<row> profiles(by.letters(), row(across.size()));
  for (unsigned letter = 0; letter < by.letters(); ++letter)
    std::ranges::transform(across, profiles[letter].begin(), [&](std::uint8_t other) {
      return by.similarity[letter][other] + 2 * gap;
    });
  return profiles;
}

void take_from_above(const row& above, const row& profile, row& out) {
  const std::int32_t* const up = above.data();
  const std::int32_t* const added = profile.data();
  std::int32_t* const to = out.data();
  const std::size_t columns = profile.size();
  for (std::size_t j = 0; j < columns; ++j) to[j + 1] = std::max(up[j + 1], up[j] + added[j]);
}

// Returns the sum of columns from 1.
std::int64_t take_from_the_left(row& now) {
  std::int32_t largest = 0;
  std::int64_t sum = 0;
  for (std::size_t j = 1; j < now.size(); ++j) {
    largest = std::max(largest, now[j]);
    now[j] = largest;
    sum += largest;
  }
  return sum;
}

// The scores of row i.
void lower(const row& lifted, std::size_t i, std::int32_t gap, row& scores) {
  const auto lift_of_first = static_cast<std::int32_t>(i) * gap;
  const auto size = static_cast<std::int32_t>(lifted.size());
  const std::int32_t* const from = lifted.data();
  std::int32_t* const to = scores.data();
  for (std::int32_t j = 0; j < size; ++j) to[j] = from[j] - (lift_of_first + j * gap);
}

}  // namespace

matrix_summary scores_of(letters down, letters across, const inputs::scoring& by, std::int32_t gap,
                         const row_visitor& visit) {
  const std::size_t columns = across.size();
  const std::vector<row> profiles = profiles_of(across, by, gap);
  row above(columns + 1);
  row now(columns + 1);
  row scores(columns + 1);
  matrix_summary made;
  const auto end_row = [&](std::size_t i, std::int64_t lifted_sum) {
    const auto across_all = static_cast<std::int64_t>(columns);
    const auto at_last = static_cast<std::int64_t>(i + columns) * gap;
    const std::int64_t lifts =
        gap * (static_cast<std::int64_t>(i) * across_all + across_all * (across_all + 1) / 2);
    made.row_sums.push_back(lifted_sum - lifts);
    made.last_column.push_back(static_cast<std::int32_t>(now.back() - at_last));
    if (!visit && i != down.size()) return;
    lower(now, i, gap, scores);
    if (visit) visit(i, scores);
  };
  end_row(0, 0);
  for (std::size_t i = 1; i <= down.size(); ++i) {
    std::swap(above, now);
    take_from_above(above, profiles[down[i - 1]], now);
    end_row(i, take_from_the_left(now));
  }
  made.last_row = std::move(scores);
  return made;
}

}  // namespace finesync::nw
