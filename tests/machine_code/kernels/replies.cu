// Answers of 0 to 3 words, sent and looked for; and requests past the buffers, which such answers
// are waited for.
#include "channel.cuh"

#include <finesync/server/basic/channel.cuh>
#include <finesync/server/fast/channel.cuh>
#include <finesync/server/paper/channel.cuh>
#include <finesync/server/reply.cuh>

namespace {

template <unsigned Words, order_of_reply Order>
using slots = replies_ref<words<Words>, Order>;

/// Looks once, and uses the last word alone.
template <class Slots>
__device__ void poll(const Slots& all, u32* out) {
  typename Slots::slot slot(all, threadIdx.x);
  slot.expect();
  if (!slot.poll()) return;
  const auto image = argument_image<typename Slots::answer_type>::of(slot.answer());
  *out = image.word[image.words == 0 ? 0 : image.words - 1];
}

template <class Channel>
__device__ void send_now(const Channel& channel, const watchdog_ref& watchdog,
                         const typename Channel::argument_type& argument) {
  typename Channel::outbox out(channel, shared_bytes(), watchdog);
  for (u32 key = threadIdx.x; key % 8 != 0; key = 5 * key + 3)  // lanes part here
    if (!out.send_now(key, argument)) return;
}

}  // namespace

#define ANSWERS(n, order)                                                                    \
  extern "C" __global__ void reply_answer_##order##_##n(slots<n, order_of_reply::order> all, \
                                                        reply_address to, words<n> what) {   \
    all.answer(to, what);                                                                    \
  }                                                                                          \
  extern "C" __global__ void reply_poll_##order##_##n(slots<n, order_of_reply::order> all,   \
                                                      u32* out) {                            \
    poll(all, out);                                                                          \
  }
ANSWERS(0, value)
ANSWERS(1, value)
ANSWERS(2, value)
ANSWERS(3, value)
ANSWERS(1, memory)
ANSWERS(3, memory)

#define SEND_NOW(name, path)                                                           \
  extern "C" __global__ void name##_now(path<words<2>> channel, watchdog_ref watchdog, \
                                        words<2> argument) {                           \
    send_now(channel, watchdog, argument);                                             \
  }
SEND_NOW(basic, basic_channel)
SEND_NOW(paper, paper_channel)
SEND_NOW(fast, fast_channel)
SEND_NOW(ordered, ordered_fast_channel)
