// Messages of one or two units of 64 or 128 bits, with 0 to 3 spare words.
#include "channel.cuh"

#include <finesync/server/fast/channel.cuh>

BOTH_SIDES(fast, fast_channel, 0)
BOTH_SIDES(fast, fast_channel, 1)
BOTH_SIDES(fast, fast_channel, 2)
BOTH_SIDES(fast, fast_channel, 3)
BOTH_SIDES(fast, fast_channel, 4)
BOTH_SIDES(fast, fast_channel, 5)
BOTH_SIDES(fast, fast_channel, 6)
FINISH(fast, fast_channel)

// Unused parts of a message.
RECEIVE(fast, fast_channel, 2, last)
RECEIVE(fast, fast_channel, 2, none)
RECEIVE(fast, fast_channel, 3, last)
RECEIVE(fast, fast_channel, 3, none)
RECEIVE(fast, fast_channel, 4, last)
RECEIVE(fast, fast_channel, 4, none)
RECEIVE(fast, fast_channel, 5, last)
RECEIVE(fast, fast_channel, 5, none)
RECEIVE(fast, fast_channel, 6, last)
RECEIVE(fast, fast_channel, 6, none)

// The cost of making a client's earlier writes visible to the section.
BOTH_SIDES(ordered, ordered_fast_channel, 1)
BOTH_SIDES(ordered, ordered_fast_channel, 2)
FINISH(ordered, ordered_fast_channel)
