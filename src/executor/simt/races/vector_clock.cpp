// SPDX-License-Identifier: Apache-2.0
#include <simt/races/vector_clock.hpp>

#include <algorithm>

namespace simt {

vector_clock::comparison vector_clock::compare(const page& a, const page& b) {
  // Without early exit: compilers turn it into a few vector instructions.
  std::uint32_t less = 0;
  std::uint32_t greater = 0;
  for (std::size_t i = 0; i < page_size; ++i) {
    less |= a.times[i] < b.times[i] ? 1u : 0u;
    greater |= a.times[i] > b.times[i] ? 1u : 0u;
  }
  return {less != 0, greater != 0};
}

void vector_clock::make_own() {
  if (pages_->use_count() == 1) return;
  pages_.reset(new page_table(*pages_));
}

void vector_clock::set(std::uint32_t thread, epoch time, std::size_t threads) {
  if (!pages_) {
    pages_.reset(new page_table);
    pages_->at.resize((threads + page_size - 1) / page_size);
  }
  make_own();
  boost::intrusive_ptr<page>& mine = pages_->at[thread / page_size];
  if (!mine) {
    mine.reset(new page);
  } else if (mine->use_count() > 1) {
    mine.reset(new page(*mine));
  }
  mine->times[thread % page_size] = time;
}

epoch vector_clock::fenced_time_of(std::uint32_t thread) const {
  const std::size_t index = thread / page_size;
  if (!pages_ || index >= pages_->fenced.size() || !pages_->fenced[index]) return 0;
  return pages_->fenced[index]->times[thread % page_size];
}

void vector_clock::fence(const vector_clock& all) {
  if (!pages_) {
    pages_.reset(new page_table);
    pages_->at.resize(all.pages_->at.size());
  }
  make_own();
  pages_->fenced = all.pages_->at;
}

void vector_clock::join(const vector_clock& other) {
  if (!other.pages_ || other.pages_ == pages_) return;
  if (!pages_) {
    pages_ = other.pages_;
    return;
  }
  join(other, &page_table::at);
  if (other.pages_->fenced.empty()) return;
  if (pages_->fenced.empty()) {
    make_own();
    pages_->fenced.resize(pages_->at.size());
  }
  join(other, &page_table::fenced);
}

void vector_clock::join(const vector_clock& other, page_list page_table::*part) {
  const page_list& all_theirs = (*other.pages_).*part;
  for (std::size_t i = 0; i < all_theirs.size(); ++i) {
    const boost::intrusive_ptr<page>& theirs = all_theirs[i];
    if (!theirs || theirs == ((*pages_).*part)[i]) continue;
    const page* const old = ((*pages_).*part)[i].get();
    const comparison found = old == nullptr ? comparison{true, false} : compare(*old, *theirs);
    if (!found.less) continue;
    make_own();
    boost::intrusive_ptr<page>& mine = ((*pages_).*part)[i];
    if (!found.greater) {
      mine = theirs;
      continue;
    }
    if (mine->use_count() > 1) mine.reset(new page(*mine));
    std::transform(mine->times.begin(), mine->times.end(), theirs->times.begin(),
                   mine->times.begin(), [](epoch a, epoch b) { return a > b ? a : b; });
  }
}

}  // namespace simt
