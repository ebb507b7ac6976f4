// SPDX-License-Identifier: Apache-2.0
#include <simt/memory/corruption.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <dlfcn.h>

namespace simt {

namespace {

constexpr std::uint64_t one_in = 10;

bool is_store(op_kind kind) {
  return kind == op_kind::plain_store || kind == op_kind::store;
}
bool writes(op_kind kind) {
  return is_store(kind) || is_rmw(kind);
}

/// Of all launches of the program.
class corruption {
 public:
  explicit corruption(std::string_view asked) : way_(asked.substr(0, asked.find(':'))) {
    constexpr std::string_view ways[] = {"list", "drop", "stale", "swap"};
    if (std::ranges::find(ways, way_) == std::end(ways))
      throw std::invalid_argument(
          fmt::format("FINESYNC_CORRUPT is '{}'; scripts/dev/corrupt.py sets it", asked));
    for (std::string_view left = asked.substr(way_.size()); !left.empty();) {
      left.remove_prefix(1);
      const std::string_view offset = left.substr(0, left.find(','));
      std::from_chars(offset.data(), offset.data() + offset.size(), offsets_.emplace_back(), 16);
      left.remove_prefix(offset.size());
    }
    Dl_info program = {};
    dladdr(reinterpret_cast<const void*>(&corrupted_memory), &program);
    base_ = static_cast<const char*>(program.dli_fbase);
  }
  ~corruption() {
    if (way_ != "list") fmt::print(stderr, "finesync: {} accesses went wrong\n", wrong_);
    for (const auto& [site, of] : places_)
      if (way_ == "list")
        fmt::print(stderr, "finesync: place {:x} {} writes {} plain loads {} stores\n",
                   offset_of(site), of.writes, of.plain_loads, of.stores);
  }
  corruption(const corruption&) = delete;
  corruption& operator=(const corruption&) = delete;

  void begin_launch() { last_store_.reset(); }

  effect access(const operation& op, const void* site) {
    const auto [found, is_new] = places_.try_emplace(site);
    place& at = found->second;
    if (is_new) at.is_chosen = std::ranges::find(offsets_, offset_of(site)) != offsets_.end();
    at.writes += writes(op.kind);
    at.plain_loads += op.kind == op_kind::plain_load;
    at.stores += is_store(op.kind);
    std::optional<effect> done;
    if (at.is_chosen && way_ == "drop") done = drop(op);
    if (at.is_chosen && way_ == "stale") done = read_stale(op);
    if (at.is_chosen && way_ == "swap") done = swap(op);
    if (done) return *done;
    if (writes(op.kind))
      for (std::size_t i = 0; i + 4 <= op.bytes && way_ == "stale"; i += 4)
        before_[part(op, i)] = read_word(part(op, i), 4);
    return apply(op);
  }

 private:
  struct place {
    bool is_chosen = false;
    std::uint64_t writes = 0;
    std::uint64_t plain_loads = 0;
    std::uint64_t stores = 0;
  };

  std::uint64_t offset_of(const void* site) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(site) - base_);
  }
  static std::byte* part(const operation& op, std::size_t i) {
    return static_cast<std::byte*>(op.address) + i;
  }
  bool is_in_turn() { return ++seen_ % one_in == 0; }

  std::optional<effect> drop(const operation& op) {
    if (!writes(op.kind) || !is_in_turn()) return std::nullopt;
    const word old = read_word(op.address, op.bytes);
    wrong_ += old != (is_store(op.kind) ? op.operand : modified(op, old));
    return effect{old, false};
  }

  std::optional<effect> read_stale(const operation& op) {
    if (op.kind != op_kind::plain_load || !is_in_turn()) return std::nullopt;
    const word now = read_word(op.address, op.bytes);
    word stale = now;
    for (std::size_t i = 0; i + 4 <= op.bytes; i += 4)
      if (const auto old = before_.find(part(op, i)); old != before_.end())
        write_word(reinterpret_cast<std::byte*>(&stale) + i, 4, old->second);
    wrong_ += stale != now;
    return effect{stale, false};
  }

  std::optional<effect> swap(const operation& op) {
    if (!is_store(op.kind)) return std::nullopt;
    auto earlier = std::exchange(last_store_, op);
    if (!is_in_turn() || !earlier || earlier->bytes != op.bytes) return std::nullopt;
    operation later = op;
    std::swap(earlier->operand, later.operand);
    wrong_ += earlier->operand != later.operand;
    const bool changed = apply(*earlier).changed;
    const effect done = apply(later);
    return effect{done.value, done.changed || changed};
  }

  std::string_view way_;
  std::vector<std::uint64_t> offsets_;
  const char* base_ = nullptr;
  std::unordered_map<const void*, place> places_;
  std::unordered_map<const std::byte*, word> before_;  ///< the last write of these four bytes
  std::optional<operation> last_store_;                ///< of a chosen place in this launch
  std::uint64_t seen_ = 0;
  std::uint64_t wrong_ = 0;
};

class memory_with_faults final : public memory_mode {
 public:
  explicit memory_with_faults(corruption& all) : all_(all) { all_.begin_launch(); }

  effect access(const thread&, const operation& op, space where, const void* site) override {
    const effect done = where == space::global ? all_.access(op, site) : apply(op);
    if (done.changed) note_change();
    return done;
  }
  void fence(const thread&, memory_order, scope) override {}

 private:
  corruption& all_;
};

}  // namespace

std::unique_ptr<memory_mode> corrupted_memory() {
  static const char* const asked = std::getenv("FINESYNC_CORRUPT");
  if (asked == nullptr) return nullptr;
  static corruption of_program(asked);
  return std::make_unique<memory_with_faults>(of_program);
}

}  // namespace simt
