// The accesses to a word of memory that a later one could race with, as the race detector keeps
// them: per word and not per byte, but each with the bytes that it touched.
#pragma once

#include <simt/happens_before.hpp>
#include <simt/operation.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace simt {

/// One access, or its part in one word.
struct access_record {
  std::uint32_t thread = 0;  ///< its slot
  epoch time = 0;            ///< the thread's; 0: no access
  const void* site = nullptr;
  std::uint32_t block = 0;
  op_kind kind = op_kind::plain_load;
  scope reach = scope::device;
  std::uint8_t bytes = 0;        ///< of the whole access
  std::uint8_t part : 4 = 0;     ///< which word of the access this is
  std::uint8_t touched : 4 = 0;  ///< bit b: byte b of the word

  bool is_atomic() const { return kind > op_kind::plain_store; }
  bool same_extent(const access_record& other) const {
    return bytes == other.bytes && part == other.part && touched == other.touched;
  }
};

/// The last access of each thread, one kind of access a list. Most words have one entry.
class record_list {
 public:
  bool empty() const { return first_.time == 0; }

  /// Takes the place of the thread's earlier access to the same bytes.
  void put(const access_record& record);

  /// Forgets the accesses to these bytes alone.
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

/// Atomic accesses, and what they hand on. They race with each other only where one's scope leaves
/// the other out, or they are of different bytes: mostly that is plain without looking at each.
class atomic_history {
 public:
  record_list reads;
  record_list writes;
  std::unique_ptr<release_clock> handed_on;  ///< null: nothing
  std::uint32_t version = 0;                 ///< of all that a read depends on

  void put(const access_record& record, bool reads_it, bool writes_it);
  void drop(std::uint8_t touched);

  /// True when no atomic access here can be one that `record`, an atomic one too, races with.
  bool goes_well_with(const access_record& record) const;

 private:
  access_record any_;  ///< one of them
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

/// Histories of a range of addresses, by words of four bytes; made where first asked for.
class shadow_memory {
 public:
  word_history& at(std::uint64_t offset);

  /// All that was is forgotten.
  void clear(std::uint64_t offset, std::uint64_t bytes);

 private:
  static constexpr std::size_t words_of_page = 256;
  struct page {
    word_history words[words_of_page];
  };
  std::vector<std::unique_ptr<page>> pages_;
};

}  // namespace simt
