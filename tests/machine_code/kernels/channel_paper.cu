// Requests are plain words here: how many there are makes no difference but for none, one and
// several.
#include "channel.cuh"

#include <finesync/server/paper/channel.cuh>

BOTH_SIDES(paper, paper_channel, 0)
BOTH_SIDES(paper, paper_channel, 1)
BOTH_SIDES(paper, paper_channel, 6)
FINISH(paper, paper_channel)
