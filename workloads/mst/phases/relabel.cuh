// The component of a vertex, or of an earlier component, at the end of a round.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <workloads/mst/graph_ref.cuh>

#include <cstdint>

namespace finesync::mst {

// A label without flags is the number of another component of the same round, which this one joins.
// A settled label is the number in the next round. A label that is also finished is a number among
// the finished components, which no edge leaves. A chain of labels ends at a settled one.
inline constexpr std::uint32_t settled = 0x80000000u;
inline constexpr std::uint32_t finished = 0x40000000u;
/// The number of a vertex without edges; never read.
inline constexpr std::uint32_t isolated = max_vertices;

__device__ __forceinline__ bool is_settled(std::uint32_t label) {
  return (label & settled) != 0;
}
__device__ __forceinline__ std::uint32_t number_of(std::uint32_t label) {
  return label & ~(settled | finished);
}

/// A label that other threads may read or write at the same time.
using shared_label = atomic_ref<std::uint32_t, scope::device>;

// A chain may be as long as there are labels: a path whose weights rise is one. So no walk goes to
// the end of any chain. The first pass over the labels takes each up to first_steps along. If some
// chains are longer, further passes follow the shortened ones. They take each label over up to
// later_steps labels, which at the begin of the pass have come as far as itself. So p further
// passes take a label first_steps * later_steps^p along, 8 take it along any chain, and a pass has
// later_steps loads that wait for each other.
inline constexpr unsigned first_steps = 64;  // more than the chains of most graphs have
inline constexpr unsigned later_steps = 8;

/// Takes several labels along their chains at the same time, each up to Steps labels.
/// \param label_of label of a component. \returns whether one is not settled yet.
template <unsigned Steps, unsigned Number, class LabelOf>
__device__ __forceinline__ bool follow(std::uint32_t (&found)[Number], LabelOf label_of) {
  bool goes_on = true;
  for (unsigned step = 0; goes_on && step < Steps; ++step) {
    for (unsigned i = 0; i < Number; ++i)
      if (!is_settled(found[i])) found[i] = label_of(found[i]);
    goes_on = false;
    for (unsigned i = 0; i < Number; ++i) goes_on = goes_on || !is_settled(found[i]);
  }
  return goes_on;
}

/// The first pass, over several chains. No thread writes the chains meanwhile, so they are read
/// through the SM's L1 cache; the labels are a separate array. \param which index of the first
/// chain. \param stride distance to the next. \param end number of labels. \returns whether a
/// chain goes on.
template <unsigned Number>
__device__ __forceinline__ bool settle(const cell<std::uint32_t>* chains,
                                       cell<std::uint32_t>* labels, std::uint32_t which,
                                       std::uint32_t stride, std::uint32_t end) {
  std::uint32_t found[Number];
  for (unsigned i = 0; i < Number; ++i)
    found[i] = which + i * stride < end ? std::uint32_t{chains[which + i * stride]} : settled;
  const bool goes_on =
      follow<first_steps>(found, [&](std::uint32_t label) { return std::uint32_t{chains[label]}; });
  for (unsigned i = 0; i < Number; ++i)
    if (which + i * stride < end) labels[which + i * stride] = found[i];
  return goes_on;
}

/// The last pass over some labels after which a chain went on; 0 before the first pass. All passes
/// may store their number, and readers of an earlier pass are not misled by that of the next.
class unsettled_pass {
 public:
  __device__ explicit unsettled_pass(cell<std::uint32_t>& word) : word_(word) {}

  __device__ void report(unsigned pass) const { word_.store(pass, memory_order::relaxed); }
  /// For pass `pass`, after the barrier that ends it.
  __device__ bool is_or_follows(unsigned pass) const {
    return word_.load(memory_order::relaxed) >= pass;
  }

 private:
  shared_label word_;
};

/// The further passes, if the first one left a chain that goes on. All threads of the grid call it
/// after a barrier. \returns false when the watchdog ended a wait.
template <class Participant>
__device__ bool settle_long_chains(cell<std::uint32_t>* labels, std::uint32_t end,
                                   const unsettled_pass& unsettled, Participant& participant) {
  constexpr unsigned each = 4;
  const std::uint32_t threads = gridDim.x * blockDim.x;
  for (unsigned pass = 1; unsettled.is_or_follows(pass); ++pass) {
    bool goes_on = false;
    for (std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x; first < end;
         first += each * threads) {
      const auto label_of = [&](std::uint32_t which) {
        return shared_label(labels[which]).load(memory_order::relaxed);
      };
      std::uint32_t before[each], found[each];
      for (unsigned i = 0; i < each; ++i)
        found[i] = before[i] = first + i * threads < end ? label_of(first + i * threads) : settled;
      goes_on = follow<later_steps>(found, label_of) || goes_on;
      for (unsigned i = 0; i < each; ++i)
        if (found[i] != before[i])
          shared_label(labels[first + i * threads]).store(found[i], memory_order::relaxed);
    }
    if (goes_on) unsettled.report(pass + 1);
    if (!participant.wait()) return false;
  }
  return true;
}

/// Follows a chain from a label to the settled label at its end: for labels that are settled or
/// few. No thread changes the chain.
__device__ __forceinline__ std::uint32_t end_from(const cell<std::uint32_t>* labels,
                                                  std::uint32_t label) {
  while (!is_settled(label)) label = labels[label];
  return label;
}
__device__ __forceinline__ std::uint32_t end_of_chain(const cell<std::uint32_t>* labels,
                                                      std::uint32_t which) {
  return end_from(labels, labels[which]);
}

}  // namespace finesync::mst
