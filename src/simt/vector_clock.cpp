#include <simt/vector_clock.hpp>

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

void vector_clock::join(const vector_clock& other) {
  if (!other.pages_ || other.pages_ == pages_) return;
  if (!pages_) {
    pages_ = other.pages_;
    return;
  }
  for (std::size_t i = 0; i < pages_->at.size(); ++i) {
    const boost::intrusive_ptr<page>& theirs = other.pages_->at[i];
    if (!theirs || theirs == pages_->at[i]) continue;
    const page* const old = pages_->at[i].get();
    const comparison found = old == nullptr ? comparison{true, false} : compare(*old, *theirs);
    if (!found.less) continue;
    make_own();
    boost::intrusive_ptr<page>& mine = pages_->at[i];
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
