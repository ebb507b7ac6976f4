// Requests are plain words here; only none, one and several words differ.
#include "channel.cuh"

#include <finesync/device/numbering.cuh>
#include <workloads/printed/server/paper/channel.cuh>
#include <workloads/printed/server/paper/handler_warp.cuh>
#include <workloads/printed/server/paper/stepping_outbox.cuh>

BOTH_SIDES(paper, paper_channel, 0)
BOTH_SIDES(paper, paper_channel, 1)
BOTH_SIDES(paper, paper_channel, 6)
FINISH(paper, paper_channel)

// Messages that a warp reads itself.
extern "C" __global__ void paper_handle(masked_rings<words<0>> from, watchdog_ref watchdog,
                                        u32* out) {
  assume_one_dimension();
  handle_messages(from, blockIdx.x, watchdog,
                  [&](const auto& message) { out[message.local()] = 1; });
}

// Requests of warps that do not wait for space.
extern "C" __global__ void paper_step(masked_rings<words<1>> to, watchdog_ref watchdog,
                                      words<1> argument, u32 steps) {
  assume_one_dimension();
  paper_stepping_outbox<words<1>, scope::device> out(to, shared_bytes(), watchdog);
  const auto request = out.place({threadIdx.x, threadIdx.x}, argument);
  bool put = false;
  for (u32 i = 0; i < steps; ++i) {
    put = put || out.try_put(request);
    out.copy_next();
  }
}
