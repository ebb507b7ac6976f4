// MovieLens' ratings.dat.
#include <inputs/line_cursor.hpp>
#include <inputs/ratings/text_formats.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace finesync::inputs {
namespace {

constexpr std::uint64_t largest_id = std::numeric_limits<std::uint32_t>::max() - 1;

// Numbers ids from 0: at first in the order of occurrence, at the end in ascending order of the
// ids. Memory depends on the number of ids, not on their size.
class dense_ids {
 public:
  std::uint32_t met(std::uint32_t id) {
    if (!ids_.empty() && id == ids_[last_]) return last_;  // most files are sorted by user
    const auto [at, is_new] = numbers_.try_emplace(id, size());
    if (is_new) ids_.push_back(id);
    return last_ = at->second;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }

  // The rank of each id among all, indexed by the number from met().
  std::vector<std::uint32_t> ranks() const {
    std::vector<std::uint32_t> order(ids_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](std::uint32_t number) { return ids_[number]; });
    std::vector<std::uint32_t> ranked(ids_.size());
    for (std::uint32_t rank = 0; rank < size(); ++rank) ranked[order[rank]] = rank;
    return ranked;
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::vector<std::uint32_t> ids_;
  std::uint32_t last_ = 0;
};

}  // namespace

ratings parse_movielens(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  dense_ids users;
  dense_ids items;
  ratings all;
  const auto id = [&](const char* what) {
    return static_cast<std::uint32_t>(at.integer(what, 0, largest_id));
  };
  while (at.find_word()) {
    const std::uint32_t user = users.met(id("a user"));
    at.expect("::");
    const std::uint32_t item = items.met(id("an item"));
    at.expect("::");
    const float value = at.value();
    at.expect("::");
    at.integer("a time", 0, std::numeric_limits<std::uint64_t>::max());
    at.end_whole_line();
    all.entries.push_back({user, item, value});
  }
  if (all.entries.empty()) at.fail("there are no ratings");
  all.lefts = users.size();
  all.rights = items.size();
  const std::vector<std::uint32_t> user_ranks = users.ranks();
  const std::vector<std::uint32_t> item_ranks = items.ranks();
  for (rating& each : all.entries) {
    each.left = user_ranks[each.left];
    each.right = item_ranks[each.right];
  }
  return all;
}

}  // namespace finesync::inputs
