// Fermi's lock unit, which no GPU since has: instructions of its shared memory, for kernels that
// run on the executor alone (ICS'15, section 3; US patent 8,055,856).
//
// A block has 1,024 lock bits, all free at first. Words of shared memory that are 1,024 words apart
// share one. Nothing keeps track of who holds a bit, and only a store to such a word frees it.
//
// The unit orders what it hands on: LDSLK is an acquire where it gets the bit, STSUL a release.
#pragma once

#include <simt/device_api.hpp>

#include <cstdint>

namespace simt::fermi {

inline constexpr std::uint32_t lock_bits = 1024;

struct locked {
  std::uint32_t value;
  bool acquired;  ///< the predicate
};

/// Loads the word and tries to take its lock bit, in one access.
template <class Cell>
locked ldslk(Cell& at) {
  locked result{};
  result.value = load_locking(at.address(), result.acquired);
  return result;
}

/// Stores to the word and frees its lock bit, in one access.
template <class Cell>
void stsul(Cell& at, std::uint32_t value) {
  store_unlocking(at.address(), value);
}

/// So many instructions that touch neither memory nor other lanes: counted, nothing else.
inline void issue(unsigned instructions = 1) {
  for (unsigned i = 0; i < instructions; ++i) perform({.kind = op_kind::instruction});
}

}  // namespace simt::fermi
