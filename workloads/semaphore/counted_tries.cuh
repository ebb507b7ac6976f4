// Counts what the blocks that enter do: their tries for the semaphore's lock, and the looks that
// held them back from it.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>

#include <cstdint>

namespace finesync::semaphore {

/// A semaphore whose acquisitions know whether the last try to enter was held back before it came
/// to the lock.
template <class Ref>
inline constexpr bool tells_held_back = requires(const typename Ref::acquisition& r) {
  r.held_back;
};

/// The same semaphore; thread 0 of a block counts.
template <class Ref>
class counted_tries : public Ref {
 public:
  using acquisition = typename Ref::acquisition;

  /// \param counts of all blocks: tries for the lock, and looks that held a block back; twice, so
  /// that a lost one shows.
  counted_tries(const Ref& semaphore, cell<std::uint64_t>* counts)
      : Ref(semaphore), counts_(counts) {}

  __device__ counted_tries for_reader() const {
    counted_tries same = *this;
    static_cast<Ref&>(same) = Ref::for_reader();
    return same;
  }
  __device__ bool try_enter(acquisition& r) const {
    const bool entered = Ref::try_enter(r);
    count(r);
    return entered;
  }
  __device__ bool try_enter_as_block(acquisition& r) const {
    const bool entered = Ref::try_enter_as_block(r);
    if (threadIdx.x == 0) count(r);
    return entered;
  }

 private:
  __device__ void count(const acquisition& r) const {
    for (unsigned copy = 0; copy < 2; ++copy)
      atomic_ref<std::uint64_t, scope::device>(counts_[2 * copy + (r.held_back ? 1 : 0)])
          .fetch_add(1, memory_order::relaxed);
  }

  cell<std::uint64_t>* counts_;
};

}  // namespace finesync::semaphore
