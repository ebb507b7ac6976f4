// Messages between GPUs, of one unit of 64 and of 128 bits.
#include "channel.cuh"

#include <finesync/several_gpus/gpus_server_pool.cuh>

namespace {

template <class Argument>
using ordered_gpus_channel = gpus_fast_channel<Argument, message_order::release_acquire>;

}  // namespace

BOTH_SIDES(gpus, gpus_fast_channel, 1)
BOTH_SIDES(gpus, gpus_fast_channel, 2)
FINISH(gpus, gpus_fast_channel)

// The cost of making a client's earlier writes visible to a section on another GPU.
BOTH_SIDES(gpus_ordered, ordered_gpus_channel, 1)
FINISH(gpus_ordered, ordered_gpus_channel)
