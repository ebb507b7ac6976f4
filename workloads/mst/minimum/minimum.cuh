// Records of components: the lightest edge that leaves each. Who offers edges, and who keeps the
// least of them, is what the versions of this program differ in.
//
// A Minimum is trivially copyable and offers
//|  uint64 current_min(component)          what the record is, or was: only less keys are worth an
//|                                         offer
//|  bool propose(component, key, watchdog) false: the watchdog ended a wait
// both by any number of threads at once, and
//|  uint64 read(component)                 the least key offered, or no_key; between two phases
//|  void clear(component)                  to no_key; between two phases
//|  void use_those_of(level)               which records these are of: those of the next level are
//|                                         cleared while those of this one are read
// Keys are unique, so there is one least.
#pragma once

#include <finesync/device/global_atomic_ref.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::mst {

/// Of an edge: by weight, then by its place in the list of edges, so that both its ends agree.
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

/// A word for each component, twice, and how it is read and cleared.
class key_records {
 public:
  /// \param words twice as many as components.
  key_records(cell<std::uint64_t>* words, std::uint32_t components)
      : first_(words), words_(words), components_(components) {}

  __device__ void use_those_of(unsigned level) {
    words_ = first_ + std::size_t{level % 2} * components_;
  }
  __device__ std::uint64_t read(std::uint32_t component) const { return words_[component]; }
  __device__ void clear(std::uint32_t component) const { words_[component] = no_key; }
  /// Comes before anything dearer: of the offers for a component few are the least so far. Records
  /// only become less, so what is no less than an older key is none that is wanted.
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

/// Keeps nothing, where somebody else sees to the records.
class no_minimum : public key_records {
 public:
  explicit no_minimum(const key_records& records) : key_records(records) {}

  __device__ std::uint64_t current_min(std::uint32_t) const { return 0; }  // nothing is less
  __device__ bool propose(std::uint32_t, std::uint64_t, const watchdog_ref&) const { return true; }
};

/// An atomic minimum: no lock. What locks and servers are measured against.
///
/// Ordering: none. Traffic: an atomic per offer.
class atomic_min : public key_records {
 public:
  using key_records::key_records;
  explicit atomic_min(const key_records& records) : key_records(records) {}

  __device__ bool propose(std::uint32_t component, std::uint64_t key, const watchdog_ref&) const {
    of(component).fetch_min(key);
    return true;
  }
};

/// Of the lanes of a warp that bring offers for one component only the least one offers. All that
/// offer at a time call it together.
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
