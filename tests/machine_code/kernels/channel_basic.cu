// Requests are plain words here: how many there are makes no difference but for none, one and
// several.
#include "channel.cuh"

#include <finesync/server/basic/channel.cuh>

BOTH_SIDES(basic, basic_channel, 0)
BOTH_SIDES(basic, basic_channel, 1)
BOTH_SIDES(basic, basic_channel, 6)
FINISH(basic, basic_channel)
