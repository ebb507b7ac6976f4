#include <simt/async_copies.hpp>

#include <algorithm>

namespace simt {

namespace {

constexpr std::uintptr_t place_bytes = 16;

std::uintptr_t begin_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

std::uintptr_t place_of(const void* address) {
  return begin_of(address) / place_bytes;
}

}  // namespace

void async_copies::add(const async_copy& copy) {
  targets_.emplace(place_of(copy.to), copy);
  sources_.emplace(place_of(copy.from), copy);
  of_thread_[copy.thread].push_back(copy);
}

void async_copies::erase(by_place& copies, const void* side, const async_copy& which) {
  const auto [first, last] = copies.equal_range(place_of(side));
  copies.erase(std::find_if(first, last, [&](const auto& each) {
    return each.second.thread == which.thread && each.second.to == which.to;
  }));
}

std::vector<async_copy> async_copies::take(std::uint32_t thread, const void* batch) {
  std::vector<async_copy> taken;
  const auto found = of_thread_.find(thread);
  if (found == of_thread_.end()) return taken;
  std::erase_if(found->second, [&](const async_copy& each) {
    if (each.batch != batch) return false;
    taken.push_back(each);
    return true;
  });
  if (found->second.empty()) of_thread_.erase(found);
  for (const async_copy& each : taken) {
    erase(targets_, each.to, each);
    erase(sources_, each.from, each);
  }
  return taken;
}

void async_copies::forget(std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t thread = first; thread < first + count; ++thread) {
    for (auto left = of_thread_.find(thread); left != of_thread_.end();
         left = of_thread_.find(thread))
      take(thread, left->second.front().batch);
  }
}

const async_copy* async_copies::find(const by_place& copies, const void* async_copy::*side,
                                     const operation& op) {
  const std::uintptr_t begin = begin_of(op.address);
  const std::uintptr_t end = begin + op.bytes;
  for (std::uintptr_t place = begin / place_bytes; place * place_bytes < end; ++place) {
    const auto [first, last] = copies.equal_range(place);
    for (auto each = first; each != last; ++each) {
      const std::uintptr_t at = begin_of(each->second.*side);
      if (at < end && begin < at + each->second.bytes) return &each->second;
    }
  }
  return nullptr;
}

async_copies::meeting async_copies::met_by(const operation& op) const {
  if (const async_copy* const met = find(targets_, &async_copy::to, op)) return {met, true};
  if (op.kind == op_kind::plain_load || op.kind == op_kind::load) return {};
  return {find(sources_, &async_copy::from, op), false};
}

}  // namespace simt
