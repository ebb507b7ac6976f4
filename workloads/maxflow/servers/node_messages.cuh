// What the kinds of servers share: every block is a server of its nodes and a client of all others,
// and a message is a node. The work is done when no message is left.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <workloads/maxflow/push_relabel/flow_kernel.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

/// The words that all blocks share.
struct message_state {
  cell<std::uint32_t>* messages;  ///< number of messages that are not done
  cell<std::uint32_t>* stopped;   ///< whether the work is to end before they are done
};

/// Empties the rings, and counts the nodes that queues hold as messages. Then all blocks serve:
/// serve() returns false in a thread that waited too long.
/// \returns false if any did. \p ran_dry tells whether no message is left.
template <class Word, class Run, class Serve>
__device__ bool exchange_messages(Run& run, const message_state& state, cell<Word>* rings,
                                  std::size_t words, bool& ran_dry, const Serve& serve) {
  for (std::size_t i = thread_of_grid(); i < words; i += threads_of_grid()) rings[i] = 0;
  if (thread_of_grid() == 0) {
    *state.messages = static_cast<std::uint32_t>(run.queue.total());
    *state.stopped = 0;
  }
  if (!run.participant.wait()) return false;
  if (__syncthreads_or(!serve())) return false;
  if (!run.participant.wait()) return false;
  ran_dry = *state.stopped == 0;
  return true;
}

}  // namespace finesync::maxflow
