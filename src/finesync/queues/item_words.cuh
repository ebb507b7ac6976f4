// SPDX-License-Identifier: Apache-2.0
// A slot's item together with the lap that it belongs to, in words that are accessed whole: a
// 64-bit word for items of 4 bytes, a 128-bit word for 8, two of them for 16.
//
// A reader recognises an item by its lap, so it needs neither a flag nor a fence. The tag of a lap
// fills the rest of a word, and all of it is compared. A slot without an item has a tag and zeros,
// all compared as well: a load with an unused part does not stay whole.
#pragma once

#include "finesync/device/global_atomic_ref.cuh"
#include "finesync/device/ptx/message_128.cuh"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

template <class Type>
constexpr unsigned queue_item_bytes() {
  static_assert(std::is_trivially_copyable_v<Type> && sizeof(Type) <= 16,
                "an item of a queue is a value of at most 16 bytes");
  return sizeof(Type) <= 4 ? 4 : sizeof(Type) <= 8 ? 8 : 16;
}

/// The item as 64-bit halves, and back.
template <class Type>
struct item_halves {
  std::uint64_t half[2] = {};

  __device__ static item_halves of(const Type& item) {
    item_halves image;
    std::memcpy(image.half, &item, sizeof item);
    return image;
  }
  __device__ Type item() const {
    Type found;
    std::memcpy(static_cast<void*>(&found), half, sizeof found);
    return found;
  }
};

/// The words of a ring, zero at first. A caller that has taken an item calls keep_read() with the
/// look at it, for callers that use only a part of the item.
template <class Type, unsigned Bytes = queue_item_bytes<Type>()>
class item_words;

template <class Type>
class item_words<Type, 4> {
 public:
  using word = std::uint64_t;
  using tag = std::uint32_t;
  static constexpr unsigned words_per_slot = 1;
  struct look {
    word first;
  };
  using first_look = look;

  item_words(cell<word>* words, std::size_t) : words_(words) {}

  __device__ look load(std::size_t index) const { return load_first(index); }
  __device__ first_look load_first(std::size_t index) const { return {at(index).load()}; }
  __device__ static bool has_tag(const look& seen, std::uint64_t wanted) {
    return static_cast<tag>(seen.first >> 32) == static_cast<tag>(wanted);
  }
  __device__ static void keep_read(const look&) {}
  __device__ static bool is_marked(const look& seen, std::uint64_t wanted) {
    return seen.first == wanted << 32;
  }
  __device__ static Type item(const look& seen) {
    return item_halves<Type>{{seen.first & 0xffffffffu, 0}}.item();
  }
  __device__ void store(std::size_t index, const Type& item, std::uint64_t marked) const {
    at(index).store(item_halves<Type>::of(item).half[0] | marked << 32);
  }
  __device__ void mark(std::size_t index, std::uint64_t marked) const {
    at(index).store(marked << 32);
  }

 private:
  __device__ global_atomic_ref at(std::size_t index) const {
    return global_atomic_ref(words_[index]);
  }

  cell<word>* words_;
};

namespace detail {

/// What a slot of 128-bit words has whatever the size of its item: the word that is given back.
class first_words {
 public:
  using word = message_128;
  struct first_look {
    word first;
  };

  explicit first_words(cell<word>* words) : words_(words) {}

  __device__ first_look load_first(std::size_t index) const {
    return {begin_load_message(words_[index])};
  }
  __device__ static bool is_marked(const first_look& seen, std::uint64_t wanted) {
    return seen.first.low == 0 && seen.first.high == wanted;
  }
  __device__ void mark(std::size_t index, std::uint64_t marked) const {
    store_message(words_[index], {0, marked});
  }

 protected:
  cell<word>* words_;
};

}  // namespace detail

template <class Type>
class item_words<Type, 8> : public detail::first_words {
 public:
  using look = first_look;
  static constexpr unsigned words_per_slot = 1;

  item_words(cell<word>* words, std::size_t) : first_words(words) {}

  __device__ look load(std::size_t index) const { return load_first(index); }
  __device__ static bool has_tag(const look& seen, std::uint64_t wanted) {
    return seen.first.high == wanted;
  }
  __device__ static void keep_read(const look& seen) { keep_128_bits(seen.first); }
  __device__ static Type item(const look& seen) {
    return item_halves<Type>{{seen.first.low, 0}}.item();
  }
  __device__ void store(std::size_t index, const Type& item, std::uint64_t marked) const {
    store_message(words_[index], {item_halves<Type>::of(item).half[0], marked});
  }
};

/// Both words carry the tag. mark() writes the first alone: a second store could come after the
/// next item, whose producer saw the first.
template <class Type>
class item_words<Type, 16> : public detail::first_words {
 public:
  static constexpr unsigned words_per_slot = 2;
  struct look {
    word first;
    word second;
  };

  item_words(cell<word>* words, std::size_t slots) : first_words(words), slots_(slots) {}

  __device__ look load(std::size_t index) const {
    return {begin_load_message(words_[index]), begin_load_message(words_[slots_ + index])};
  }
  __device__ static bool has_tag(const look& seen, std::uint64_t wanted) {
    return seen.first.high == wanted && seen.second.high == wanted;
  }
  __device__ static void keep_read(const look& seen) {
    keep_128_bits(seen.first);
    keep_128_bits(seen.second);
  }
  __device__ static Type item(const look& seen) {
    return item_halves<Type>{{seen.first.low, seen.second.low}}.item();
  }
  __device__ void store(std::size_t index, const Type& item, std::uint64_t marked) const {
    const auto image = item_halves<Type>::of(item);
    store_message(words_[index], {image.half[0], marked});
    store_message(words_[slots_ + index], {image.half[1], marked});
  }

 private:
  std::size_t slots_;  ///< the second words of all slots follow the first ones
};

}  // namespace finesync::inline FINESYNC_ABI
