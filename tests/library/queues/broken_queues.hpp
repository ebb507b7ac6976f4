// Broken queues, each a queue of the library with one mistake.
#pragma once

#include <finesync/queues/slot_queue.cuh>

#include <tests/library/queues/test_types.hpp>

namespace finesync::test {

/// Item and lap in two accesses, as ptxas makes them of a word whose lap is compared in part.
struct split_words {
  using word = std::uint64_t;
  static constexpr unsigned words_per_slot = 2;
  struct look {
    word item;
    word tag;
  };
  using first_look = look;

  split_words(cell<word>* words, std::size_t) : words_(words) {}

  look load(std::size_t index) const { return {at(2 * index).load(), at(2 * index + 1).load()}; }
  look load_first(std::size_t index) const { return load(index); }
  static bool has_tag(const look& seen, std::uint64_t wanted) { return seen.tag == wanted; }
  static bool is_marked(const look& seen, std::uint64_t wanted) { return seen.tag == wanted; }
  static void keep_read(const look&) {}
  static test_item item(const look& seen) { return item_halves<test_item>{{seen.item, 0}}.item(); }
  void store(std::size_t index, const test_item& item, std::uint64_t marked) const {
    at(2 * index).store(item_halves<test_item>::of(item).half[0]);
    at(2 * index + 1).store(marked);
  }
  void mark(std::size_t index, std::uint64_t marked) const { at(2 * index + 1).store(marked); }

 private:
  global_atomic_ref at(std::size_t place) const { return global_atomic_ref(words_[place]); }

  cell<word>* words_;
};
using torn_queue = basic_slot_queue<test_item, queue_order::relaxed, split_words>;

/// Gives both words of a slot back.
struct marks_both : item_words<test_item_16> {
  using right = item_words<test_item_16>;
  marks_both(cell<word>* words, std::size_t slots)
      : right(words, slots), seconds(words + slots, slots) {}
  void mark(std::size_t index, std::uint64_t marked) const {
    right::mark(index, marked);
    seconds.mark(index, marked);
  }
  right seconds;
};
using queue_that_gives_both_words_back =
    basic_slot_queue<test_item_16, queue_order::relaxed, marks_both>;

/// Puts without a look at the slot.
struct takes_all_for_free : item_words<test_item> {
  using item_words<test_item>::item_words;
  static bool is_marked(const first_look&, std::uint64_t) { return true; }
};
using queue_without_bound = basic_slot_queue<test_item, queue_order::relaxed, takes_all_for_free>;

/// Takes what is there, of whatever lap.
struct compares_no_lap : item_words<test_item> {
  using item_words<test_item>::item_words;
  static bool has_tag(const look& seen, std::uint64_t wanted) {
    return (seen.first.high & 1) == (wanted & 1);
  }
};
using queue_of_one_lap = basic_slot_queue<test_item, queue_order::relaxed, compares_no_lap>;

/// A queue whose device side is another class.
template <class Queue, template <class> class Ref>
struct queue_with : Queue {
  using Queue::Queue;
  using ref_type = Ref<typename Queue::ref_type>;
  ref_type ref() const { return ref_type(Queue::ref()); }
};

/// Waits until all slots of the warp are free before it puts the first item.
template <class Right>
struct puts_all_at_once : Right {
  explicit puts_all_at_once(const Right& right) : Right(right) {}
  puts_all_at_once join(unsigned char* shared) const {
    return puts_all_at_once(Right::join(shared));
  }
  template <unsigned Items, class Item>
  bool put(typename Right::template push_place<Items>& place, const Item (&items)[Items],
           const watchdog_ref& watchdog) const {
    bounded_wait wait(watchdog, awaited::queue_space);
    while (!__all_sync(~0u, place.ready == place.left)) {
      Right::look_ahead(place);
      if (__any_sync(~0u, wait.timed_out())) return false;
    }
    return Right::put(place, items, watchdog);
  }
};
using queue_for_whole_warps = queue_with<slot_queue<test_item>, puts_all_at_once>;

/// Leaves the line when it gives up.
template <class Right>
struct forgets_places : Right {
  explicit forgets_places(const Right& right) : Right(right) {}
  forgets_places join(unsigned char* shared) const { return forgets_places(Right::join(shared)); }
  template <class Place>
  auto try_take(Place& place) const {
    const auto got = Right::try_take(place);
    place = {};
    return got;
  }
};
using queue_that_forgets_places = queue_with<slot_queue<test_item>, forgets_places>;

/// Is closed by the first producer that leaves.
template <class Right>
struct closes_early : Right {
  explicit closes_early(const Right& right) : Right(right) {}
  closes_early join(unsigned char* shared) const { return closes_early(Right::join(shared)); }
  void leave(unsigned) const { Right::close(); }
};
using queue_that_closes_early = queue_with<slot_queue<test_item>, closes_early>;

}  // namespace finesync::test
