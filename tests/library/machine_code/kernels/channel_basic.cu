// Requests are plain words here; only none, one and several words differ.
#include "channel.cuh"

#include <workloads/printed/server/basic/channel.cuh>

BOTH_SIDES(basic, basic_channel, 0)
BOTH_SIDES(basic, basic_channel, 1)
BOTH_SIDES(basic, basic_channel, 6)
FINISH(basic, basic_channel)
