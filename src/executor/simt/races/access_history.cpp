// SPDX-License-Identifier: Apache-2.0
#include <simt/races/access_history.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <new>

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
  const auto at = std::lower_bound(others_.begin(), others_.end(), record, comes_before);
  return at != others_.end() && is_same(*at) ? &*at : nullptr;
}

template <class Record>
void record_list<Record>::put(const Record& record) {
  if (empty()) {
    first_ = record;
  } else if (const Record* const before = same(record)) {
    const_cast<Record&>(*before) = record;
  } else if (others_.empty() || comes_before(others_.back(), record)) {
    others_.push_back(record);
  } else {
    others_.insert(std::lower_bound(others_.begin(), others_.end(), record, comes_before), record);
  }
}

template <class Record>
void record_list<Record>::drop(std::uint8_t touched) {
  if (touched == whole_word) return clear();
  std::erase_if(others_, [&](const access_record& r) { return is_within(r.touched, touched); });
  if (!is_within(first_.touched, touched)) return;
  first_ = {};
  if (others_.empty()) return;
  first_ = others_.back();
  others_.pop_back();
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
  any_.barriers = std::max(any_.barriers, record.barriers);
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

void atomic_history::clear() {
  writes.clear();
  reads.clear();
  handed_on.reset();
  newest_ = {};
  place_ = chain_ = version = 0;
}

void atomic_history::overwrite(std::uint8_t touched) {
  reads.drop(touched);
  writes.drop(touched);
  if ((newest_.touched & touched) != 0) {
    newest_ = {};
    if (handed_on) handed_on->clear();
  }
  ++version;
}

bool atomic_history::goes_well_with(const access_record& record, scope all) const {
  if (reads.empty() && writes.empty()) return true;
  if (!one_extent_ || !record.same_extent(any_)) return false;
  if (one_block_ && record.block == any_.block) return true;
  return narrowest_ >= all && record.reach >= all;
}

std::uint8_t written_bytes(const word_history& word) {
  if (word.full == nullptr) return word.write.time == 0 ? 0 : word.write.touched;
  unsigned bytes = 0;
  const auto add = [&](const access_record& write) { bytes |= write.touched; };
  word.full->plain_writes.for_each(add);
  if (const atomic_history* const atomics = word.atomics()) atomics->writes.for_each(add);
  return static_cast<std::uint8_t>(bytes);
}

/// Pages of histories for all launches of an OS thread. It keeps as many as one launch has needed.
class shadow_memory::page_pool {
 public:
  /// A page without accesses.
  page* take() {
    void* place = nullptr;
    if (free_.empty()) {
      place = unused_place();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    return new (place) page();
  }
  void give_back(page* one) { free_.push_back(one); }

 private:
  static constexpr std::size_t slab_bytes = std::size_t{2} << 20;  ///< of a huge page
  static constexpr std::size_t pages_of_slab = slab_bytes / sizeof(page);

  struct release {
    void operator()(std::byte* slab) const {
      ::operator delete (slab, std::align_val_t{slab_bytes});
    }
  };

  // With huge pages, memory that is touched for the first time costs 512 times fewer faults.
  void* unused_place() {
    if (used_of_last_ == pages_of_slab) {
      void* const slab = ::operator new (slab_bytes, std::align_val_t{slab_bytes});
      slabs_.emplace_back(static_cast<std::byte*>(slab));
      madvise(slab, slab_bytes, MADV_HUGEPAGE);
      used_of_last_ = 0;
    }
    return slabs_.back().get() + used_of_last_++ * sizeof(page);
  }

  std::vector<std::unique_ptr<std::byte, release>> slabs_;
  std::size_t used_of_last_ = pages_of_slab;
  std::vector<page*> free_;
};

shadow_memory::page_pool& shadow_memory::pool() {
  thread_local page_pool mine;
  return mine;
}

shadow_memory::~shadow_memory() {
  for (page* const each : pages_)
    if (each != nullptr) pool().give_back(each);
}

shadow_memory::page& shadow_memory::made_page(std::uint64_t index) {
  if (index >= pages_.size()) pages_.resize(index + 1);
  pages_[index] = pool().take();
  return *pages_[index];
}

full_history& shadow_memory::expand(word_history& word) {
  if (word.full != nullptr) return *word.full;
  if (unused_.empty()) {
    word.full = &full_histories_.emplace_back();
  } else {
    word.full = unused_.back();
    unused_.pop_back();
  }
  if (word.write.time != 0) word.full->plain_writes.put(word.write);
  if (word.read.time != 0) word.full->plain_reads.put(word.read);
  return *word.full;
}

void shadow_memory::clear(word_history& word) {
  if (word.full != nullptr) {
    word.full->clear();
    unused_.push_back(word.full);
  }
  word = {};
}

void shadow_memory::clear(std::uint64_t offset, std::uint64_t bytes) {
  for (std::uint64_t word = offset / 4; word < (offset + bytes + 3) / 4; ++word) {
    const std::uint64_t index = word / words_of_page;
    if (index >= pages_.size()) return;
    if (pages_[index] != nullptr) clear((*pages_[index])[word % words_of_page]);
  }
}

}  // namespace simt
