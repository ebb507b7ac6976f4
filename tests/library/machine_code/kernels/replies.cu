// Replies of 0 to 3 words, sent and polled; and requests with replies, sent past the buffers.
#include "channel.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/server/fast/channel.cuh>
#include <finesync/server/reply.cuh>
#include <workloads/printed/server/basic/channel.cuh>
#include <workloads/printed/server/paper/channel.cuh>

namespace {

template <unsigned Words, message_order Order>
using slots = reply_slots_ref<words<Words>, Order>;

/// Polls once, and uses only the last word.
template <class Slots>
__device__ void poll(const Slots& all, u32* out) {
  typename Slots::reply_slot slot(all, threadIdx.x);
  slot.expect();
  if (!slot.poll()) return;
  const auto image = argument_image<typename Slots::reply_type>::of(slot.reply());
  *out = image.word[image.words == 0 ? 0 : image.words - 1];
}

template <class Channel>
__device__ void send_now(const Channel& channel, const watchdog_ref& watchdog,
                         const typename Channel::argument_type& argument) {
  typename Channel::outbox out(channel, shared_bytes(), watchdog);
  const modulo_partition partition(channel.config());
  for (u32 key = threadIdx.x; key % 8 != 0; key = 5 * key + 3)  // lanes diverge here
    if (!out.send_now(partition.destination_of(key), argument)) return;
}

}  // namespace

#define REPLIES(n, order)                                                                 \
  extern "C" __global__ void reply_send_##order##_##n(slots<n, message_order::order> all, \
                                                      reply_address to, words<n> what) {  \
    assume_one_dimension();                                                               \
    all.reply(to, what);                                                                  \
  }                                                                                       \
  extern "C" __global__ void reply_poll_##order##_##n(slots<n, message_order::order> all, \
                                                      u32* out) {                         \
    assume_one_dimension();                                                               \
    poll(all, out);                                                                       \
  }
REPLIES(0, relaxed)
REPLIES(1, relaxed)
REPLIES(2, relaxed)
REPLIES(3, relaxed)
REPLIES(1, release_acquire)
REPLIES(3, release_acquire)

#define SEND_NOW(name, path)                                                           \
  extern "C" __global__ void name##_now(path<words<2>> channel, watchdog_ref watchdog, \
                                        words<2> argument) {                           \
    assume_one_dimension();                                                            \
    send_now(channel, watchdog, argument);                                             \
  }
SEND_NOW(basic, basic_channel)
SEND_NOW(paper, paper_channel)
SEND_NOW(fast, fast_channel)
SEND_NOW(ordered, ordered_fast_channel)
