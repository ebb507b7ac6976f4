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

template <class Record>
const Record* record_list<Record>::same(const access_record& record) const {
  const auto is_same = [&](const access_record& other) {
    return other.thread == record.thread && other.touched == record.touched;
  };
  if (empty()) return nullptr;
  if (is_same(first_)) return &first_;
  if (!others_) return nullptr;
  const auto at = std::lower_bound(others_->begin(), others_->end(), record, comes_before);
  return at != others_->end() && is_same(*at) ? &*at : nullptr;
}

template <class Record>
void record_list<Record>::put(const Record& record) {
  if (empty()) {
    first_ = record;
  } else if (const Record* const before = same(record)) {
    const_cast<Record&>(*before) = record;
  } else {
    if (!others_) others_ = std::make_unique<std::vector<Record>>();
    others_->insert(std::lower_bound(others_->begin(), others_->end(), record, comes_before),
                    record);
  }
}

template <class Record>
void record_list<Record>::drop(std::uint8_t touched) {
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

template class record_list<access_record>;
template class record_list<atomic_record>;

void atomic_history::put(const access_record& record, bool reads_it, bool writes_it,
                         bool morally_strong) {
  if (reads.empty() && writes.empty()) {
    any_ = record;
    narrowest_ = record.reach;
    one_extent_ = one_block_ = true;
  }
  narrowest_ = std::min(narrowest_, record.reach);
  one_extent_ = one_extent_ && record.same_extent(any_);
  one_block_ = one_block_ && record.block == any_.block;
  const bool observes = reads_it && morally_strong;
  if (writes_it) {
    ++version;
    ++place_;
    if (!observes) chain_ = place_;
    newest_ = record;
    writes.put({record, place_, chain_, record.time});
  } else if (reads_it) {
    atomic_record now{record, place_, observes ? chain_ : place_ + 1, record.time};
    const atomic_record* const before = reads.same(record);
    if (before != nullptr && before->place == now.place && before->block == now.block)
      now.since = before->since;
    reads.put(now);
  }
}

void atomic_history::overwrite(std::uint8_t touched) {
  reads.drop(touched);
  writes.drop(touched);
  if ((newest_.touched & touched) != 0) newest_ = {};
  ++version;
}

bool atomic_history::goes_well_with(const access_record& record, scope all) const {
  if (reads.empty() && writes.empty()) return true;
  if (!one_extent_ || !record.same_extent(any_)) return false;
  if (one_block_ && record.block == any_.block) return true;
  return narrowest_ >= all && record.reach >= all;
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
