// Both sides of a message path, for arguments of 0 to 6 words: all, one or none of them used.
#pragma once

#include "kernels.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/server/partition/modulo.cuh>
#include <finesync/server/request.cuh>
#include <finesync/server/server_config.cuh>

namespace {

template <unsigned Words>
struct words {
  u32 word[Words];
};
template <>
struct words<0> {};

enum class used { all, last, none };

/// Stores the requests that an inbox receives.
template <used Parts>
struct recorder {
  u32* out;

  template <class Argument>
  __device__ bool operator()(bool& here, u32 local, const Argument& argument) {
    const auto image = argument_image<Argument>::of(argument);
    if (!here) return true;
    out[local] = 1;
    if constexpr (image.words > 0) {
      for (unsigned i = Parts == used::last ? image.words - 1 : 0; i < image.words; ++i)
        if (Parts != used::none) out[local + 1 + i] = image.word[i];
    }
    return true;
  }
  __device__ bool pending() const { return false; }
};

template <class Channel>
__device__ void send(const Channel& channel, const watchdog_ref& watchdog,
                     const typename Channel::argument_type& argument) {
  typename Channel::outbox out(channel, shared_bytes(), watchdog);
  const modulo_partition partition(channel.config());
  for (u32 key = threadIdx.x; key % 8 != 0; key = 5 * key + 3)  // lanes diverge here
    if (!out.send(partition.destination_of(key), argument)) return;
}

template <class Channel>
__device__ void finish(const Channel& channel, const watchdog_ref& watchdog) {
  typename Channel::outbox(channel, shared_bytes(), watchdog).finish();
}

template <used Parts, class Channel>
__device__ void receive(const Channel& channel, const watchdog_ref& watchdog, u32* out) {
  typename Channel::inbox in(channel, blockIdx.x, shared_bytes(), watchdog);
  recorder<Parts> handler{out};
  in.receive(handler);
}

}  // namespace

#define RECEIVE(name, path, n, parts)                                                        \
  extern "C" __global__ void name##_receive_##n##_##parts(path<words<n>> channel,            \
                                                          watchdog_ref watchdog, u32* out) { \
    assume_one_dimension();                                                                  \
    receive<used::parts>(channel, watchdog, out);                                            \
  }
#define SEND(name, path, n)                                                                 \
  extern "C" __global__ void name##_send_##n(path<words<n>> channel, watchdog_ref watchdog, \
                                             words<n> argument) {                           \
    assume_one_dimension();                                                                 \
    send(channel, watchdog, argument);                                                      \
  }
#define BOTH_SIDES(name, path, n) \
  SEND(name, path, n)             \
  RECEIVE(name, path, n, all)
#define FINISH(name, path)                                                                  \
  extern "C" __global__ void name##_finish(path<words<2>> channel, watchdog_ref watchdog) { \
    assume_one_dimension();                                                                 \
    finish(channel, watchdog);                                                              \
  }
