// Configuration of the queue workload at one point of a sweep.
#pragma once

#include <cstddef>

namespace finesync::queue {

/// Which blocks push and which pop.
enum class traffic {
  halves,      ///< half of the blocks push, the others pop
  fan_in,      ///< all but one push
  fan_out,     ///< all but one pop
  both,        ///< all push and pop by turns
  pair,        ///< one block pushes, one pops
  ping,        ///< one thread of each of two blocks: an item goes there and back
  ping_ahead,  ///< the same; the place is taken, and looked at, before the item is there
};

/// Blocks carry numbered items through one queue as fast as it can: nothing is done for an item but
/// to make it and to check it.
///
/// After every run an experiment verifies the number of items, their sum, and the checksum in each
/// of 8 bytes or more; by a further, shorter run that each item came once, and those of a thread in
/// its order. Operations are items; with ping, trips of one item through an empty queue.
struct run_config {
  traffic roles;
  unsigned blocks_per_sm = 1;
  unsigned threads_per_block = 64;
  bool by_block = false;     ///< one ticket for the whole block; else one per warp
  unsigned items = 1;        ///< per thread and ticket: 1 or 4
  unsigned item_bytes = 8;   ///< 4, 8 or 16
  std::size_t capacity = 0;  ///< 0: twice the items that can be on their way
  unsigned rounds;           ///< tickets per producing thread; with ping, items there and back
};

}  // namespace finesync::queue
