// SPDX-License-Identifier: Apache-2.0
#include <simt/arena.hpp>
#include <simt/random.hpp>
#include <simt/settings.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace simt {

namespace {

// Much more than programs have at a time, as space that is released is seldom used again.
constexpr std::size_t most_bytes = std::size_t{32} << 30;
constexpr std::size_t least_bytes = std::size_t{64} << 20;

constexpr std::size_t page = garbage_pages::page;

constexpr std::size_t aligned(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

constexpr std::size_t table_bytes(std::size_t bytes, std::size_t granule) {
  return bytes / granule * sizeof(std::uint16_t);
}

}  // namespace

arena::arena() : range_(reserve_addresses(most_bytes, least_bytes)) {
  const std::size_t bytes = table_bytes(range_.bytes, granule);
  usable_ = static_cast<std::uint16_t*>(reserve_addresses(bytes, bytes).begin);
}

arena::~arena() {
  munmap(range_.begin, range_.bytes);
  munmap(usable_, table_bytes(range_.bytes, granule));
}

void arena::require(std::size_t bytes) const {
  constexpr std::size_t overhead = 2 * granule;
  const std::size_t room = range_.bytes - used_;
  // A sixteenth is left to the threads' stacks and to others. Small allocations do not ask: a look
  // at the system's files takes longer than they do.
  constexpr std::size_t large = std::size_t{64} << 20;
  const std::size_t free = bytes < large || overcommits_ ? room : free_memory() / 16 * 15;
  if (bytes <= std::min(room - std::min(room, overhead), free)) return;
  const char* limit = free < room                 ? "this computer has free"
                      : range_.bytes < most_bytes ? "this process may have (ulimit -v)"
                                                  : "the host executor has";
  throw out_of_memory(fmt::format("its data needs {} of memory or more, and {} is what {}",
                                  in_gb(used_ + bytes), in_gb(used_ + std::min(room, free)),
                                  limit));
}

std::optional<std::size_t> arena::reuse(std::size_t bytes, std::size_t alignment) {
  const auto is_in_use = [](const allocation& a) { return a.in_use; };
  for (auto first = allocations_.begin();;) {
    first = std::find_if_not(first, allocations_.end(), is_in_use);
    if (first == allocations_.end()) return std::nullopt;
    const auto last = std::find_if(first, allocations_.end(), is_in_use);
    const std::uint64_t begin = aligned(first->offset, alignment);
    const std::uint64_t end = last == allocations_.end() ? range_.bytes : last->offset;
    if (begin + bytes > end) {
      first = last;
      continue;
    }
    // What is left of the space stays released.
    if (last == allocations_.end()) used_ = begin + bytes;
    const bool is_split = last != allocations_.end() && begin + bytes < end;
    allocation rest{begin + bytes, is_split ? end - begin - bytes - granule : 0, false,
                    first->what};
    first->offset = begin;
    const auto after = allocations_.erase(first + 1, last);
    const auto place = static_cast<std::size_t>(after - allocations_.begin()) - 1;
    if (is_split) allocations_.insert(after, std::move(rest));
    return place;
  }
}

void arena::fill(std::byte* begin, std::size_t bytes, content with, std::uint64_t seed) {
  const std::uint64_t at = offset(begin);
  const std::size_t first = aligned(at, page) - at;
  const std::size_t last = (at + bytes) / page * page - at;
  const bool is_mapped = bytes >= garbage_pages::period + 2 * page &&
                         (with == content::zeros ? map_zeros(begin + first, last - first)
                                                 : garbage_.map(begin + first, last - first, seed));
  const auto write = [&](std::size_t from, std::size_t to) {
    if (with == content::zeros)
      std::memset(begin + from, 0, to - from);
    else
      fill_with_garbage(begin + from, to - from, seed + from);
  };
  write(0, is_mapped ? first : bytes);
  if (is_mapped) write(last, bytes);
}

void* arena::allocate(std::size_t bytes, const label& what, std::size_t alignment,
                      content filled_with) {
  if (bytes > range_.bytes) require(bytes);  // throws; no sum below overflows
  const std::size_t filled = aligned(bytes, granule);
  const std::size_t taken = filled + granule;
  const bool is_full = aligned(used_, alignment) + taken > range_.bytes;
  std::optional<std::size_t> place = is_full ? reuse(taken, alignment) : std::nullopt;
  if (!place) {
    require(bytes + alignment - granule);
    place = allocations_.size();
    const std::uint64_t begin = aligned(used_, alignment);
    allocations_.push_back({begin, 0, true, {}});
    used_ = begin + taken;
  }
  allocation& made = allocations_[*place];
  made = {made.offset, bytes, true, what};
  // Spreads the seed's bits: allocations of one seed must not begin alike.
  const std::uint64_t spread = random_source(current_settings().seed).next();
  fill(data() + made.offset, filled, filled_with, spread + *place);
  set_usable(made);
  ++live_;
  return data() + made.offset;
}

void arena::release(void* memory) {
  if (memory == nullptr) return;
  if (--live_ > 0 || keeps_released_) {
    const auto found =
        std::lower_bound(allocations_.begin(), allocations_.end(), offset(memory),
                         [](const allocation& a, std::uint64_t begin) { return a.offset < begin; });
    found->in_use = false;
    set_usable(*found);
    if (set_) set_->clear(found->offset, found->bytes);
    const std::size_t begin = aligned(found->offset, page);
    const std::size_t end = (found->offset + found->bytes) / page * page;
    if (keeps_released_ && begin < end) madvise(data() + begin, end - begin, MADV_DONTNEED);
    return;
  }
  madvise(range_.begin, used_, MADV_DONTNEED);
  madvise(usable_, table_bytes(used_, granule), MADV_DONTNEED);
  if (set_) set_->clear(0, used_);
  used_ = 0;
  allocations_.clear();
}

void arena::cut(const void* memory, std::size_t bytes) {
  allocation& which = allocation_at(offset(memory));
  const std::size_t granules = which.bytes / granule + 1;
  std::fill_n(usable_ + which.offset / granule, granules, std::uint16_t{0});
  which.bytes = bytes;
  set_usable(which);
}

void arena::set_usable(const allocation& a) {
  std::uint16_t* usable = usable_ + a.offset / granule;
  const std::size_t whole = a.bytes / granule;
  std::fill_n(usable, whole, static_cast<std::uint16_t>(a.in_use ? granule : 0));
  usable[whole] = static_cast<std::uint16_t>(a.in_use ? a.bytes % granule : 0);
}

arena::allocations::const_iterator arena::next_after(const void* address) const {
  return std::upper_bound(
      allocations_.begin(), allocations_.end(), offset(address),
      [](std::uint64_t wanted, const allocation& a) { return wanted < a.offset; });
}

void arena::watch(const void* memory) {
  try {
    if (!set_) set_.emplace(range_.bytes);
    allocation_at(offset(memory)).is_watched = true;
  } catch (const out_of_memory&) {
  }
}

bool arena::are_watched(std::uint64_t at) {
  const allocation& in = allocation_at(at);
  if (in.is_watched) return true;
  const std::uint64_t begin = std::max(in.offset, at / page * page);
  const std::uint64_t end = std::min(in.offset + in.bytes, (at / page + 2) * page);
  set_->fill(begin, end - begin);
  return false;
}

bool arena::is_untouched(const void* address) {
  allocation& in = allocation_at(offset(address));
  in.is_touched = in.is_touched || set_->has_any_of(in.offset, in.bytes);
  return !in.is_touched;
}

void arena::note_copy(const void* to, const void* from, std::size_t bytes) {
  if (!set_) return;
  if (!contains(from) || !allocation_at(offset(from)).is_watched) return note_set(to, bytes);
  set_->copy(offset(to), offset(from), bytes);
}

std::optional<arena::extent> arena::owner_of(const void* address) const {
  if (allocations_.empty()) return std::nullopt;
  const allocation& in = *(next_after(address) - 1);
  const std::string& called = in.what.called;
  return extent{called.empty() ? short_text(in.what, number_of(in), in.bytes) : called, in.offset,
                in.bytes, in.in_use};
}

std::string arena::place(const void* address) const {
  const allocation& in = *(next_after(address) - 1);  // the first begins at the range's beginning
  return place_text(in.what, number_of(in), in.bytes, offset(address) - in.offset);
}

const label* arena::objects_at(const void* address) const {
  if (!contains(address)) return nullptr;
  const label& what = (next_after(address) - 1)->what;
  return what.object ? &what : nullptr;
}

std::string arena::neighbourhood(const void* address) const {
  const std::uint64_t at = offset(address);
  const auto after = next_after(address);
  const auto name = [this](const allocation& a) {
    return full_text(a.what, number_of(a), a.bytes);
  };
  const allocation& before = *(after - 1);
  if (at < before.offset + before.bytes) {
    return fmt::format("{} bytes into {}{}", at - before.offset, name(before),
                       before.in_use ? ", and beyond its end" : ", which has been freed");
  }
  const std::uint64_t past = at - before.offset - before.bytes;
  if (after != allocations_.end() && after->offset - at < past) {
    return fmt::format("{} bytes before {}", after->offset - at, name(*after));
  }
  return fmt::format("{} bytes past the end of {}", past, name(before));
}

arena& global_memory() {
  thread_local arena memory;
  return memory;
}

}  // namespace simt
