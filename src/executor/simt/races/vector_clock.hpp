// SPDX-License-Identifier: Apache-2.0
// What a thread knows of the others: for each of them, the time up to which all its actions have
// happened before. Clocks are copied at every release and acquire, so copies share their pages
// until one of them changes (32 threads, a warp, a page).
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt {

/// A thread's own time, incremented whenever it releases. 0 is before everything.
using epoch = std::uint32_t;

class vector_clock {
 public:
  /// All that `thread` did up to then is known; 0: nothing.
  epoch time_of(std::uint32_t thread) const {
    if (!pages_ || !pages_->at[thread / page_size]) return 0;
    return pages_->at[thread / page_size]->times[thread % page_size];
  }

  /// \param threads total number. `time` is not below the known time.
  void set(std::uint32_t thread, epoch time, std::size_t threads);

  /// Of what is known through a proxy fence: a part of all that is known. As time_of().
  epoch fenced_time_of(std::uint32_t thread) const;

  /// A proxy fence: what `all` knows is known through it.
  void fence(const vector_clock& all);

  /// Adds what `other` knows.
  void join(const vector_clock& other);

  bool empty() const { return !pages_; }

  /// Whether both are copies of one clock and so know the same. (The converse does not hold.)
  bool is_copy_of(const vector_clock& other) const { return pages_ == other.pages_; }

 private:
  static constexpr std::size_t page_size = 32;

  // An executor runs on one OS thread, and clocks do not leave it.
  template <class Type>
  using counted = boost::intrusive_ref_counter<Type, boost::thread_unsafe_counter>;

  struct page : counted<page> {
    std::array<epoch, page_size> times{};
  };
  using page_list = std::vector<boost::intrusive_ptr<page>>;
  struct page_table : counted<page_table> {
    page_list at;
    page_list fenced;  ///< the same through a proxy fence; empty before the first one
  };

  struct comparison {
    bool less;     ///< somewhere
    bool greater;  ///< somewhere
  };
  static comparison compare(const page& a, const page& b);
  void make_own();
  void join(const vector_clock& other, page_list page_table::*part);

  boost::intrusive_ptr<page_table> pages_;
};

}  // namespace simt
