// Access history for the race detector: the accesses to a word of memory that a later one could
// race with. It is kept per word, not per byte, but each access has its bytes.
#pragma once

#include <simt/happens_before.hpp>
#include <simt/operation.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace simt {

/// One access, or its part in one word.
struct access_record {
  std::uint32_t thread = 0;  ///< thread slot
  epoch time = 0;            ///< the thread's epoch; 0: no access
  const void* site = nullptr;
  std::uint32_t block = 0;
  op_kind kind = op_kind::plain_load;
  scope reach = scope::device;
  std::uint8_t bytes = 0;        ///< of the whole access
  std::uint8_t part : 4 = 0;     ///< index of this word in the access
  std::uint8_t touched : 4 = 0;  ///< bit b: byte b of the word

  bool is_atomic() const { return kind > op_kind::plain_store; }
  bool same_extent(const access_record& other) const {
    return bytes == other.bytes && part == other.part && touched == other.touched;
  }
};

/// The last access of each thread, one list per kind of access. Most words have one entry.
class record_list {
 public:
  bool empty() const { return first_.time == 0; }

  /// Replaces the thread's earlier access to the same bytes.
  void put(const access_record& record);

  /// Forgets the accesses to only these bytes.
  void drop(std::uint8_t touched);

  /// The first for which found(record), or null.
  template <class Found>
  const access_record* find(Found found) const {
    if (empty()) return nullptr;
    if (found(first_)) return &first_;
    if (others_) {
      for (const access_record& each : *others_)
        if (found(each)) return &each;
    }
    return nullptr;
  }

 private:
  access_record first_;
  std::unique_ptr<std::vector<access_record>> others_;  ///< by thread, then by bytes
};

/// Atomic accesses and their release clock. Two atomic accesses race only if a scope excludes the
/// other's thread or their bytes differ. Mostly that is clear without a look at each access.
class atomic_history {
 public:
  record_list reads;
  record_list writes;
  std::unique_ptr<release_clock> handed_on;  ///< null if nothing was released
  std::uint32_t version = 0;                 ///< changes with all that a read depends on

  void put(const access_record& record, bool reads_it, bool writes_it);
  void drop(std::uint8_t touched);

  /// True if `record`, also atomic, can race with no atomic access here.
  bool goes_well_with(const access_record& record) const;

 private:
  access_record any_;  ///< any one of them
  scope narrowest_ = scope::system;
  bool one_extent_ = true;
  bool one_block_ = true;
};

struct word_history {
  record_list plain_reads;
  record_list plain_writes;
  std::unique_ptr<atomic_history> atomics;

  atomic_history& made_atomics() {
    if (!atomics) atomics = std::make_unique<atomic_history>();
    return *atomics;
  }
};

/// Histories of a range of addresses, per four-byte word, created on first use.
class shadow_memory {
 public:
  word_history& at(std::uint64_t offset);

  /// Forgets all accesses to the range.
  void clear(std::uint64_t offset, std::uint64_t bytes);

 private:
  static constexpr std::size_t words_of_page = 256;
  struct page {
    word_history words[words_of_page];
  };
  std::vector<std::unique_ptr<page>> pages_;
};

}  // namespace simt
