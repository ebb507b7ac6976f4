#include "data_set.hpp"

#include <bench/experiment.hpp>
#include <inputs/ratings/load.hpp>
#include <workloads/common/inputs/last_input.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace finesync::sgd {
namespace {

/// New numbers by descending degree; users or movies without a rating come last.
std::vector<std::uint32_t> ranks_of(const std::vector<std::uint32_t>& degrees) {
  std::vector<std::uint32_t> order(degrees.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t id) { return degrees[id]; });
  std::vector<std::uint32_t> ranks(degrees.size());
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) ranks[order[rank]] = rank;
  return ranks;
}

std::vector<float> values_of(const inputs::ratings& all) {
  std::vector<float> found;
  for (const inputs::rating& each : all.entries) {
    const auto place = std::ranges::lower_bound(found, each.value);
    if (place != found.end() && *place == each.value) continue;
    if (found.size() == max_kinds)
      throw bench::infeasible("ratings of more than " + std::to_string(max_kinds) +
                              " different values");
    found.insert(place, each.value);
  }
  return found;
}

const inputs::ratings& checked(const inputs::ratings& all) {
  if (all.entries.empty()) throw bench::infeasible("no ratings");
  if (all.entries.size() >= 1u << 31 || std::max(all.lefts, all.rights) > most_of_a_side)
    throw bench::infeasible("2^31 ratings, or 2^28 users or movies, are too many");
  return all;
}

}  // namespace

data_set::data_set(const inputs::ratings& all)
    : users_(checked(all).lefts),
      movies_(all.rights),
      values_(values_of(all)),
      ratings_(all.entries.size()),
      values_on_device_(values_.size()) {
  const inputs::degrees degrees = degrees_of(all);
  most_of_user_ = *std::ranges::max_element(degrees.of_lefts);
  most_of_movie_ = *std::ranges::max_element(degrees.of_rights);
  const auto users = ranks_of(degrees.of_lefts);
  const auto movies = ranks_of(degrees.of_rights);
  std::vector<std::uint64_t> words;
  words.reserve(all.entries.size());
  double sum = 0;
  for (const inputs::rating& each : all.entries) {
    const auto kind = std::ranges::lower_bound(values_, each.value) - values_.begin();
    words.push_back(
        packed({users[each.left], movies[each.right], static_cast<std::uint32_t>(kind)}));
    sum += each.value;
  }
  mean_ = static_cast<float>(sum / static_cast<double>(words.size()));
  ratings_.keep_copy_of(words);
  values_on_device_.keep_copy_of(values_);
}

std::shared_ptr<const data_set> data_set_of(const problem& what) {
  return workload::last_input(std::pair(what.input, what.ratings), [&] {
    inputs::ratings all = inputs::load_ratings(what.input);
    if (what.ratings != 0 && what.ratings < all.entries.size()) all.entries.resize(what.ratings);
    return std::make_shared<const data_set>(all);
  });
}

}  // namespace finesync::sgd
