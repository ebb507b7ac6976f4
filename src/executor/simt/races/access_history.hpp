// SPDX-License-Identifier: Apache-2.0
// Access history for the race detector: the accesses to a word of memory that a later one could
// race with. It is kept per word, not per byte, but each access has its bytes.
#pragma once

#include <simt/operation.hpp>
#include <simt/races/happens_before.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace simt {

inline constexpr std::uint8_t whole_word = 0xf;  ///< as access_record::touched

inline constexpr std::uint32_t no_phase = 0xffffffff;  ///< as access_record::barriers

/// One access, or its part in one word.
struct access_record {
  std::uint32_t thread = 0;  ///< thread slot
  epoch time = 0;            ///< the thread's epoch; 0: no access
  const void* site = nullptr;
  std::uint32_t block = 0;
  /// How many barriers of all its threads the block had passed. Those of async threads, which pass
  /// none, come after no phase and before none: 0 while they are made, and then no_phase.
  std::uint32_t barriers = 0;
  op_kind kind = op_kind::plain_load;
  std::uint8_t bytes = 0;        ///< of the whole access
  std::uint8_t part : 4 = 0;     ///< index of this word in the access
  std::uint8_t touched : 4 = 0;  ///< bit b: byte b of the word
  scope reach = scope::device;
  std::uint32_t events = 0;  ///< of the log of synchronization, so far

  /// Whether a barrier of the whole block was between them: then this happened before `later`.
  bool is_in_earlier_phase_than(const access_record& later) const {
    return block == later.block && barriers < later.barriers;
  }
  bool is_atomic() const { return kind > op_kind::plain_store; }
  bool same_extent(const access_record& other) const {
    return bytes == other.bytes && part == other.part && touched == other.touched;
  }
};

/// An atomic access, and its place among the atomic writes of its word, which are numbered.
///
/// PTX's observation order: a read observes the write that it reads, if both are morally strong,
/// and what that one observes if it is a read-modify-write. So it observes a chain of writes.
struct atomic_record : access_record {
  std::uint32_t place = 0;  ///< the write that it is, or else the one that it reads
  std::uint32_t chain = 0;  ///< the first write of the chain that leads to `place`
  epoch since = 0;          ///< when its thread first made it, or read that
};

/// The last access of each thread, one list per kind of access. Most words have one entry.
template <class Record>
class record_list {
 public:
  bool empty() const { return first_.time == 0; }

  /// Replaces the thread's earlier access to the same bytes.
  void put(const Record& record);

  /// Forgets the accesses to only these bytes.
  void drop(std::uint8_t touched);

  void clear() {
    first_ = {};
    others_.clear();
  }

  /// The first for which found(record), or null.
  template <class Found>
  const Record* find(Found found) const {
    if (empty()) return nullptr;
    if (found(first_)) return &first_;
    for (const Record& each : others_)
      if (found(each)) return &each;
    return nullptr;
  }

  template <class Use>
  void for_each(Use use) const {
    static_cast<void>(find([&](const Record& each) { return use(each), false; }));
  }

  /// That of the same thread to the same bytes, or null.
  const Record* same(const access_record& record) const;

 private:
  Record first_;
  std::vector<Record> others_;  ///< by thread, then by bytes
};

/// Writes to one word that precede an access in causality order because they are observed by what
/// happens before it.
class observed_writes {
 public:
  void add(std::uint32_t first, std::uint32_t past) {
    for (range& each : ranges_) {
      if (each.first != first) continue;
      each.past = std::max(each.past, past);
      return;
    }
    ranges_.push_back({first, past});
  }
  bool has(std::uint32_t place) const {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const range& each) { return each.first <= place && place < each.past; });
  }

 private:
  struct range {
    std::uint32_t first;
    std::uint32_t past;
  };
  std::vector<range> ranges_;  ///< one per chain
};

/// Atomic accesses and their release clock. Two atomic accesses race only if a scope excludes the
/// other's thread or their bytes differ. Mostly that is clear without a look at each access.
class atomic_history {
  // What all accesses need stands first.
  access_record any_;  ///< any one of them, with the barriers of the last
  access_record newest_;
  std::uint32_t place_ = 0;  ///< of the newest write
  std::uint32_t chain_ = 0;
  scope narrowest_ = scope::system;
  bool one_extent_ = true;
  bool one_block_ = true;

 public:
  std::uint32_t version = 0;                 ///< changes with all that a read depends on
  std::unique_ptr<release_clock> handed_on;  ///< null if nothing was released
  record_list<atomic_record> writes;
  record_list<atomic_record> reads;

  void clear();

  /// \param morally_strong whether `record` is so with newest().
  void put(const access_record& record, bool reads_it, bool writes_it, bool morally_strong);
  /// A plain write to these bytes replaces what it does not race with. No later read observes what
  /// was before.
  void overwrite(std::uint8_t touched);

  /// The atomic write that a read gets now; null if that is a plain one.
  const access_record* newest() const { return newest_.time == 0 ? nullptr : &newest_; }

  /// Whether the newest write was of some of these bytes, and of others or not of all: then an
  /// access that reads it does not synchronize with it.
  bool is_cut_by(std::uint8_t bytes, std::uint8_t touched) const {
    return (newest_.touched & touched) != 0 && newest_.bytes != bytes;
  }

  /// True if `record`, also atomic, can race with no atomic access here.
  /// \param all the narrowest scope that includes all threads of the launch.
  bool goes_well_with(const access_record& record, scope all) const;

  /// True if all accesses here are in earlier phases of the record's block.
  bool is_in_earlier_phase_than(const access_record& record) const {
    return one_block_ && any_.is_in_earlier_phase_than(record);
  }

  /// Adds what those accesses here observe that are known(thread, epoch).
  template <class Known>
  void add_observed(observed_writes& to, Known known) const {
    const auto add = [&](const atomic_record& by, std::uint32_t past) {
      if (by.chain < past && known(by.thread, by.since)) to.add(by.chain, past);
    };
    reads.for_each([&](const atomic_record& r) { add(r, r.place + 1); });
    writes.for_each([&](const atomic_record& w) { add(w, w.place); });
  }
};

/// All accesses to one word.
struct alignas(64) full_history {
  record_list<access_record> plain_writes;
  record_list<access_record> plain_reads;
  bool has_atomics = false;
  atomic_history atomics;  ///< if there are any

  atomic_history& made_atomics() {
    has_atomics = true;
    return atomics;
  }

  /// Begins to load all of it at once: its parts are looked at one after another.
  void fetch() const {
    for (std::size_t at = 0; at < sizeof *this; at += alignof(full_history))
      __builtin_prefetch(reinterpret_cast<const char*>(this) + at, 1);
  }

  /// Keeps the memory of its lists: most words need as much the next time.
  void clear() {
    plain_writes.clear();
    plain_reads.clear();
    if (has_atomics) atomics.clear();
    has_atomics = false;
  }
};

/// Most words need no more than a plain write and a plain read: then these two stand here alone.
struct word_history {
  access_record write;           ///< if `full` is null
  access_record read;            ///< if `full` is null
  full_history* full = nullptr;  ///< else all accesses, these two included

  const atomic_history* atomics() const {
    return full != nullptr && full->has_atomics ? &full->atomics : nullptr;
  }
};

/// The bytes that something has written, one bit each.
std::uint8_t written_bytes(const word_history& word);

/// Histories of a range of addresses, per four-byte word, created on first use. The next launch of
/// the OS thread takes the memory of the last one.
class shadow_memory {
 public:
  shadow_memory() = default;
  ~shadow_memory();
  shadow_memory(const shadow_memory&) = delete;
  shadow_memory& operator=(const shadow_memory&) = delete;

  word_history& at(std::uint64_t offset) {
    const std::uint64_t word = offset / 4;
    const std::uint64_t index = word / words_of_page;
    page* const known = index < pages_.size() ? pages_[index] : nullptr;
    return (known != nullptr ? *known : made_page(index))[word % words_of_page];
  }

  /// Begins to load the word that at() gives.
  void fetch(std::uint64_t offset) const {
    const std::uint64_t word = offset / 4;
    const std::uint64_t index = word / words_of_page;
    if (index < pages_.size() && pages_[index] != nullptr)
      __builtin_prefetch(&(*pages_[index])[word % words_of_page], 1);
  }

  /// Gives the word a full history, unless it has one.
  full_history& expand(word_history& word);

  /// Forgets all accesses to the word.
  void clear(word_history& word);

  /// Forgets all accesses to the range.
  void clear(std::uint64_t offset, std::uint64_t bytes);

 private:
  static constexpr std::size_t words_of_page = 256;
  using page = std::array<word_history, words_of_page>;
  class page_pool;
  static page_pool& pool();
  page& made_page(std::uint64_t index);

  std::vector<page*> pages_;
  std::deque<full_history> full_histories_;
  std::vector<full_history*> unused_;  ///< of them
};

}  // namespace simt
