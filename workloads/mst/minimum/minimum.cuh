// Records of components: the lightest edge that leaves each. The versions of this program differ in
// how threads propose edges and how the minimum is kept.
//
// A Minimum is trivially copyable and has
//|  uint64 current_min(component)          the record, possibly stale: propose only smaller keys
//|  bool propose(component, key, watchdog) false: the watchdog ended a wait
// Any number of threads may call these two at the same time.
//|  uint64 read(component)                 smallest proposed key, or no_key; between two phases
//|  void clear(component)                  sets the record to no_key; between two phases
//|  void use_those_of(level)               selects a level's records: the next level's are cleared
//|                                         while this level's are read
// Keys are unique, so the minimum is unique.
#pragma once

#include <finesync/device/global_atomic_ref.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::mst {

/// Orders edges by weight, then by place in the edge list, so both ends agree.
__host__ __device__ constexpr std::uint64_t key_of(std::uint32_t weight, std::uint32_t place) {
  return std::uint64_t{weight} << 32 | place;
}
__host__ __device__ constexpr std::uint32_t place_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key);
}
__host__ __device__ constexpr std::uint32_t weight_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key >> 32);
}
inline constexpr std::uint64_t no_key = ~std::uint64_t{0};

/// Two words for each component, and the operations that read and clear them.
class key_records {
 public:
  /// \param words array of 2 * components words.
  key_records(cell<std::uint64_t>* words, std::uint32_t components)
      : first_(words), words_(words), components_(components) {}

  __device__ void use_those_of(unsigned level) {
    words_ = first_ + std::size_t{level % 2} * components_;
  }
  __device__ std::uint64_t read(std::uint32_t component) const { return words_[component]; }
  __device__ void clear(std::uint32_t component) const { words_[component] = no_key; }
  /// Called before more expensive operations: few proposals are smaller than all earlier ones.
  /// Records only decrease, so a key that is not less than an old value is not wanted.
  __device__ std::uint64_t current_min(std::uint32_t component) const {
    return of(component).load_cached();
  }

 protected:
  __device__ cell<std::uint64_t>& cell_of(std::uint32_t component) const {
    return words_[component];
  }
  __device__ global_atomic_ref of(std::uint32_t component) const {
    return global_atomic_ref(cell_of(component));
  }
  __device__ bool improves(std::uint32_t component, std::uint64_t key) const {
    return key < of(component).load();
  }

 private:
  cell<std::uint64_t>* first_;
  cell<std::uint64_t>* words_;
  std::uint32_t components_;
};

/// Keeps nothing, for kernels whose records are updated elsewhere.
class no_minimum : public key_records {
 public:
  explicit no_minimum(const key_records& records) : key_records(records) {}

  __device__ std::uint64_t current_min(std::uint32_t) const { return 0; }  // nothing is less
  __device__ bool propose(std::uint32_t, std::uint64_t, const watchdog_ref&) const { return true; }
};

/// An atomic minimum without a lock: the baseline of locks and servers.
///
/// Ordering: none.
/// Traffic: an atomic per proposal.
class atomic_min : public key_records {
 public:
  using key_records::key_records;
  explicit atomic_min(const key_records& records) : key_records(records) {}

  __device__ bool propose(std::uint32_t component, std::uint64_t key, const watchdog_ref&) const {
    of(component).fetch_min(key);
    return true;
  }
};

/// Among the lanes of a warp that propose to the same component, only the smallest key is proposed.
/// All lanes that propose at the same time call it together.
template <class Minimum>
class warp_filtered : public Minimum {
 public:
  using Minimum::Minimum;

  __device__ bool propose(std::uint32_t component, std::uint64_t key,
                          const watchdog_ref& watchdog) const {
    const lane_group same = lane_group::with_same(component);
    const std::uint64_t least =
        same.fold_few(key, [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; });
    return key != least || Minimum::propose(component, key, watchdog);
  }
};

}  // namespace finesync::mst
