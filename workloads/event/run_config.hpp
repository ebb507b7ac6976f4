// Configuration of the event workload at one point of a sweep.
#pragma once

namespace finesync::hand_off {

/// Blocks hand payloads to other blocks, one block per SM. In each round every producer writes its
/// payload and arrives, and every consumer waits for all producers and reads all payloads; then the
/// consumers let the producers go on. Which SMs have which part changes with each run.
///
/// With one producer and one consumer, the answer is a hand-off of the same kind with a payload of
/// its own, so the time of an operation is that of one hand-off. Otherwise the answer is an event
/// count, and an operation is a round: there and back.
///
/// An experiment verifies every word of every payload in every round. In a further run, whose
/// producers pause before they arrive, it measures the time from the last arrival to the last
/// waiter.
struct run_config {
  unsigned producers = 1;        ///< 0: all blocks
  unsigned consumers = 1;        ///< 0: all blocks; also producers, if there are not enough others
  unsigned payload_bytes = 128;  ///< of each producer
  unsigned threads_per_block = 256;
  unsigned rounds = 2000;
  bool whole_block = false;  ///< event words: a barrier of the block after each wait
};

}  // namespace finesync::hand_off
