// Fermi's lock unit, which no later GPU has (ICS'15, section 3; US patent 8,055,856), as plain code
// on the executor.
//
// A block has 1,024 lock bits. Words of shared memory that are 1,024 words apart share one. The
// unit does not record which thread holds a bit; only a store to such a word frees it. LDSLK is an
// acquire if it gets the bit, STSUL a release.
#pragma once

#include "harness.hpp"

#include <finesync/device/shared_storage.cuh>

namespace simt_test {

inline constexpr unsigned lock_bits = 1024;
inline constexpr unsigned words_in_block = 2 * lock_bits;

/// A held bit stores the number of the word that holds it, plus one.
inline cell32* bits() {
  return reinterpret_cast<cell32*>(shared_bytes());
}

inline cell32* words() {
  return bits() + lock_bits;
}

inline unsigned instructions_issued = 0;
inline unsigned stores_done = 0;  ///< not those of a predicate that is false

/// This many instructions that touch neither memory nor other lanes; only counted.
inline void issue(unsigned instructions = 1) {
  instructions_issued += instructions;
}

struct locked {
  std::uint32_t value;  ///< meaningless if not acquired
  bool acquired;        ///< the predicate
};

/// Tries to take the lock bit of a word, and loads the word.
inline locked ldslk(cell32& at) {
  issue();
  const auto number = static_cast<std::uint32_t>(&at - words());
  block_ref bit(bits()[number % lock_bits]);
  std::uint32_t free = 0;
  if (!bit.compare_exchange(free, number + 1, memory_order::acquire)) return {};
  return {block_ref(at).load(memory_order::relaxed), true};
}

/// Stores to the word and frees its lock bit.
inline void stsul(cell32& at, std::uint32_t value) {
  issue();
  ++stores_done;
  block_ref(at).store(value, memory_order::relaxed);
  block_ref(bits()[(&at - words()) % lock_bits]).store(0, memory_order::release);
}

/// A kernel whose lock bits are free at first.
template <class... Arguments>
void with_lock_bits(void (*kernel)(Arguments...), Arguments... arguments) {
  for (unsigned i = threadIdx.x; i < lock_bits; i += blockDim.x) bits()[i] = 0;
  __syncthreads();
  kernel(arguments...);
}

template <class... Arguments>
void launch_with_lock_bits(void (*kernel)(Arguments...), unsigned threads, Arguments... arguments) {
  launch_cooperative(
      with_lock_bits<Arguments...>,
      {.threads_per_block = threads, .shared_bytes = (words_in_block + lock_bits) * sizeof(cell32)},
      kernel, arguments...);
}

}  // namespace simt_test
