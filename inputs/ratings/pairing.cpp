#include <inputs/input_error.hpp>
#include <inputs/ratings/pairing.hpp>
#include <inputs/ratings/random_order.hpp>
#include <inputs/ratings/streams.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace finesync::inputs {
namespace {

// Deals each right, as often as its degree, to the lefts one after the other.
class dealer {
 public:
  dealer(const sides& degrees, std::uint32_t seed, const std::string& name)
      : degrees_(degrees), undealt_(degrees.rights), seed_(seed), name_(name) {
    first_.resize(degrees.lefts.size() + 1);
    std::partial_sum(degrees.lefts.begin(), degrees.lefts.end(), first_.begin() + 1);
    dealt_.resize(first_.back());
  }

  std::vector<std::uint32_t> deal(bool repeats) {
    std::uint32_t left = 0;
    if (!repeats)
      while (left < lefts() && degrees_.lefts[left] > degrees_.rights.size() / 8) choose(left++);
    shuffle_undealt(first_[left]);
    if (!repeats) {
      seen_by_.resize(degrees_.rights.size(), nobody);
      for (; left < lefts(); ++left)
        for (std::uint32_t at = first_[left]; at < first_[left + 1]; ++at) settle(at, left);
      for (const std::uint32_t at : repeated_) exchange(at);
    }
    return std::move(dealt_);
  }

 private:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t lefts() const { return static_cast<std::uint32_t>(degrees_.lefts.size()); }

  // For a left with so large a part of all rights that dealing would hardly ever find the rare
  // ones: a weighted sample without repeats (P. Efraimidis, P. Spirakis, 2006).
  void choose(std::uint32_t left) {
    arrivals_.clear();
    for (std::uint32_t right = 0; right < undealt_.size(); ++right) {
      if (undealt_[right] == 0) continue;
      const double uniform = (random32(seed_, streams::choices + left, right) + 0.5) / 0x1p32;
      arrivals_.emplace_back(-std::log(uniform) / undealt_[right], right);
    }
    const std::uint32_t wanted = degrees_.lefts[left];
    if (wanted > arrivals_.size())
      throw input_error(name_, "no pairing without repeats has these degrees");
    std::ranges::nth_element(arrivals_, arrivals_.begin() + wanted);
    std::uint32_t* const chosen = &dealt_[first_[left]];
    for (std::uint32_t i = 0; i < wanted; ++i) --undealt_[chosen[i] = arrivals_[i].second];
    std::sort(chosen, chosen + wanted);  // nth_element leaves them in an order of its own
  }

  void shuffle_undealt(std::uint32_t first) {
    in_random_order(std::span(dealt_).subspan(first), seed_, streams::stubs, [&](auto&& put) {
      for (std::uint32_t right = 0; right < undealt_.size(); ++right)
        for (std::uint32_t i = 0; i < undealt_[right]; ++i) put(right);
    });
  }

  // Exchanges this entry with a later one, so that its left has no repeat.
  void settle(std::uint32_t at, std::uint32_t left) {
    constexpr int attempts = 256;
    const auto later = static_cast<std::uint32_t>(dealt_.size()) - at - 1;
    for (int i = 0; i < attempts && later != 0 && seen_by_[dealt_[at]] == left; ++i)
      std::swap(dealt_[at], dealt_[at + 1 + draw(later)]);
    if (std::exchange(seen_by_[dealt_[at]], left) == left) repeated_.push_back(at);
  }

  // The same with any entry whose left also gets no repeat from it.
  void exchange(std::uint32_t at) {
    constexpr int attempts = 1'000'000;
    const std::uint32_t left = owner(at);
    for (int i = 0; i < attempts; ++i) {
      const std::uint32_t other = draw(static_cast<std::uint32_t>(dealt_.size()));
      if (has(left, dealt_[other]) || has(owner(other), dealt_[at])) continue;
      return std::swap(dealt_[at], dealt_[other]);
    }
    throw input_error(name_, "found no pairing without repeats that has these degrees");
  }

  std::uint32_t draw(std::uint32_t bound) {
    return bounded(random32(seed_, streams::exchanges, draws_++), bound);
  }

  std::uint32_t owner(std::uint32_t at) const {
    const auto after = std::upper_bound(first_.begin(), first_.end(), at);
    return static_cast<std::uint32_t>(after - first_.begin()) - 1;
  }

  bool has(std::uint32_t left, std::uint32_t right) const {
    const auto end = dealt_.begin() + first_[left + 1];
    return std::find(dealt_.begin() + first_[left], end, right) != end;
  }

  const sides& degrees_;
  std::vector<std::uint32_t> undealt_;  // per right: entries not yet dealt
  const std::uint32_t seed_;
  const std::string& name_;
  std::vector<std::uint32_t> first_;  // per left: begin of its rights
  std::vector<std::uint32_t> dealt_;
  std::vector<std::pair<double, std::uint32_t>> arrivals_;
  std::vector<std::uint32_t> seen_by_;  // per right: the last left it was dealt to
  std::vector<std::uint32_t> repeated_;
  std::uint32_t draws_ = 0;
};

}  // namespace

std::vector<std::uint32_t> pair_up(const sides& degrees, bool repeats, std::uint32_t seed,
                                   const std::string& name) {
  return dealer(degrees, seed, name).deal(repeats);
}

}  // namespace finesync::inputs
