#include <simt/access_history.hpp>

#include <algorithm>

namespace simt {

namespace {

bool comes_before(const access_record& a, const access_record& b) {
  return a.thread != b.thread ? a.thread < b.thread : a.touched < b.touched;
}

bool is_within(std::uint8_t touched, std::uint8_t all) {
  return (touched & ~all) == 0;
}

}  // namespace

void record_list::put(const access_record& record) {
  const auto same = [&](const access_record& other) {
    return other.thread == record.thread && other.touched == record.touched;
  };
  if (empty() || same(first_)) {
    first_ = record;
    return;
  }
  if (!others_) others_ = std::make_unique<std::vector<access_record>>();
  const auto at = std::lower_bound(others_->begin(), others_->end(), record, comes_before);
  if (at != others_->end() && same(*at))
    *at = record;
  else
    others_->insert(at, record);
}

void record_list::drop(std::uint8_t touched) {
  if (others_) {
    std::erase_if(*others_, [&](const access_record& r) { return is_within(r.touched, touched); });
    if (others_->empty()) others_.reset();
  }
  if (!is_within(first_.touched, touched)) return;
  first_ = {};
  if (!others_) return;
  first_ = others_->back();
  others_->pop_back();
  if (others_->empty()) others_.reset();
}

void atomic_history::put(const access_record& record, bool reads_it, bool writes_it) {
  if (reads.empty() && writes.empty()) {
    any_ = record;
    narrowest_ = record.reach;
    one_extent_ = one_block_ = true;
  }
  narrowest_ = std::min(narrowest_, record.reach);
  one_extent_ = one_extent_ && record.same_extent(any_);
  one_block_ = one_block_ && record.block == any_.block;
  if (reads_it && !writes_it) reads.put(record);
  if (!writes_it) return;
  writes.put(record);
  ++version;
}

void atomic_history::drop(std::uint8_t touched) {
  reads.drop(touched);
  writes.drop(touched);
  ++version;
}

bool atomic_history::goes_well_with(const access_record& record) const {
  if (reads.empty() && writes.empty()) return true;
  if (!one_extent_ || !record.same_extent(any_)) return false;
  if (one_block_ && record.block == any_.block) return true;
  return narrowest_ >= scope::device && record.reach >= scope::device;
}

word_history& shadow_memory::at(std::uint64_t offset) {
  const std::uint64_t word = offset / 4;
  const std::uint64_t index = word / words_of_page;
  if (index >= pages_.size()) pages_.resize(index + 1);
  if (!pages_[index]) pages_[index] = std::make_unique<page>();
  return pages_[index]->words[word % words_of_page];
}

void shadow_memory::clear(std::uint64_t offset, std::uint64_t bytes) {
  for (std::uint64_t word = offset / 4; word < (offset + bytes + 3) / 4; ++word) {
    const std::uint64_t index = word / words_of_page;
    if (index >= pages_.size()) return;
    if (pages_[index]) pages_[index]->words[word % words_of_page] = {};
  }
}

}  // namespace simt
