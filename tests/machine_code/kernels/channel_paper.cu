// Requests are plain words here; only none, one and several words differ.
#include "channel.cuh"

#include <finesync/server/paper/channel.cuh>

BOTH_SIDES(paper, paper_channel, 0)
BOTH_SIDES(paper, paper_channel, 1)
BOTH_SIDES(paper, paper_channel, 6)
FINISH(paper, paper_channel)
