// Graphs of channels that reveal a broken channel: pipelines, one to many, many to one. Channels
// that order memory also pass a payload, written by plain accesses before a token is given and read
// after it has arrived. For either machine.
#pragma once

#include <finesync/dataflow/channel.cuh>

#include <tests/library/harness/run.hpp>

namespace finesync::test {

inline constexpr unsigned max_users = 32 * 6;

/// A producer that has given one token already writes the payload of the next but one.
inline constexpr unsigned payloads = 3;

struct graph_memory {
  alignas(16) unsigned char channels[16 * max_users];
  cell<std::uint32_t> payload[payloads][max_users];
};

/// A thread's value for token `number`.
__host__ __device__ constexpr std::uint32_t value_of(unsigned thread, unsigned number) {
  return 1000 * (number + 1) + thread;
}

template <class ChannelArray>
__device__ void write_payload(graph_memory& memory, unsigned number, std::uint32_t value) {
  if constexpr (ChannelArray::orders_memory) memory.payload[number % payloads][threadIdx.x] = value;
}

template <class ChannelArray>
__device__ bool payload_is(graph_memory& memory, unsigned producer, unsigned number,
                           std::uint32_t value) {
  if constexpr (ChannelArray::orders_memory)
    return memory.payload[number % payloads][producer] == value;
  return true;
}

struct graph {
  unsigned users = 96;  ///< threads of the block
  unsigned step = 32;   ///< from a producer to its consumer
  unsigned tokens = 4;
  std::uint64_t watchdog_ns = 1'000'000'000;
};

/// One to one: every `step` threads take tokens from the `step` threads before them, add one, and
/// put. \param got final value of each token. \param wrong a payload was wrong.
template <class ChannelArray>
__global__ void pipe(graph how, cell<std::uint32_t>* got, cell<std::uint32_t>* wrong,
                     watchdog_ref watchdog) {
  auto& memory = shared_storage<graph_memory>();
  const ChannelArray channels(memory.channels, blockDim.x);
  const unsigned me = threadIdx.x;
  const bool first = me < how.step;
  const bool last = me + how.step >= blockDim.x;
  auto in = channels.channel_of(first ? me : me - how.step);
  auto out = channels.channel_of(me);
  if (!last) out.open();
  __syncthreads();
  bool right = true;
  for (unsigned number = 0; number < how.tokens; ++number) {
    std::uint32_t value = value_of(me, number);
    if (!first) {
      if (!take(in, value, watchdog)) return;
      right = right && payload_is<ChannelArray>(memory, me - how.step, number, value);
      ++value;
    }
    if (last) {
      got[number * how.step + me % how.step] = value;
    } else {
      write_payload<ChannelArray>(memory, number, value);
      if (!put(out, value, watchdog)) return;
    }
  }
  __syncthreads();
  if (!last) out.close();
  if (!right) *wrong = 1;
}

/// One to many, by a shared channel: the first `step` threads give, all others read. Repeated for
/// each token, with the channel opened again each time.
template <class ChannelArray>
__global__ void share(graph how, cell<std::uint32_t>* got, cell<std::uint32_t>* wrong,
                      watchdog_ref watchdog) {
  auto& memory = shared_storage<graph_memory>();
  const ChannelArray channels(memory.channels, blockDim.x);
  const unsigned me = threadIdx.x;
  const bool gives = me < how.step;
  const unsigned producer = me % how.step;
  bool right = true;
  for (unsigned number = 0; number < how.tokens; ++number) {
    auto channel = channels.channel_of(producer);
    if (gives) channel.open();
    __syncthreads();
    std::uint32_t value = value_of(me, number);
    if (gives) {
      write_payload<ChannelArray>(memory, number, value);
      channel.give(value);
    } else {
      if (!read(channel, value, watchdog)) return;
      right = right && payload_is<ChannelArray>(memory, producer, number, value);
    }
    got[number * blockDim.x + me] = value;
    __syncthreads();
    if (gives) channel.close();
  }
  if (!right) *wrong = 1;
}

/// Many to one, and one to many by private channels. The first `step` threads put into two
/// channels. Two groups take from one each, and put their results into their own channels. The last
/// group fires when it has both.
template <class ChannelArray>
__global__ void diamond(graph how, cell<std::uint32_t>* got, cell<std::uint32_t>* /*wrong*/,
                        watchdog_ref watchdog) {
  auto& memory = shared_storage<graph_memory>();
  const unsigned me = threadIdx.x;
  const unsigned group = me / how.step;
  const unsigned lane = me % how.step;
  // The last group gives nothing, so the source uses its channels as second ones.
  const ChannelArray channels(memory.channels, blockDim.x);
  auto left = channels.channel_of(lane);
  auto right = channels.channel_of(3 * how.step + lane);
  auto from_left = channels.channel_of(how.step + lane);
  auto from_right = channels.channel_of(2 * how.step + lane);
  if (group == 0) {
    left.open();
    right.open();
  }
  if (group == 1) from_left.open();
  if (group == 2) from_right.open();
  __syncthreads();
  for (unsigned number = 0; number < how.tokens; ++number) {
    std::uint32_t value = value_of(lane, number);
    if (group == 0) {
      if (!put(left, value, watchdog) || !put(right, 2 * value, watchdog)) return;
    } else if (group == 1) {
      if (!take(left, value, watchdog) || !put(from_left, value + 1, watchdog)) return;
    } else if (group == 2) {
      if (!take(right, value, watchdog) || !put(from_right, value + 2, watchdog)) return;
    } else {
      const bool fired = fire<token_use::consume>(
          watchdog, [&](std::uint32_t a, std::uint32_t b) { value = 100'000 * a + b; }, from_left,
          from_right);
      if (!fired) return;
      got[number * how.step + lane] = value;
    }
  }
  __syncthreads();
  if (group == 0) {
    left.close();
    right.close();
  }
  if (group == 1) from_left.close();
  if (group == 2) from_right.close();
}

template <class Kernel, class Expected>
bool comes_out(Kernel kernel, const graph& how, std::size_t words, Expected expected) {
  buffer<std::uint32_t> got(words);
  const auto wrong = zeroed(1);
  got.fill_bytes(0xff);
  watchdog timeout(how.watchdog_ns);
  launch_independent(kernel, {.threads_per_block = how.users, .shared_bytes = sizeof(graph_memory)},
                     how, got.device_data(), wrong.device_data(), timeout.ref());
  if (timeout.fired() || first_of(wrong) != 0) return false;
  const std::vector<std::uint32_t> found = got.to_host();
  for (std::size_t i = 0; i < words; ++i)
    if (found[i] != expected(static_cast<unsigned>(i))) return false;
  return true;
}

template <class ChannelArray>
bool pipes(const graph& how) {
  const unsigned stages = (how.users + how.step - 1) / how.step;
  const unsigned behind = how.users % how.step;  // lanes with one stage more than the others
  return comes_out(pipe<ChannelArray>, how, std::size_t{how.tokens} * how.step, [&](unsigned i) {
    const unsigned lane = i % how.step;
    const unsigned hops = stages - 1 - (behind != 0 && lane >= behind ? 1 : 0);
    return value_of(lane, i / how.step) + hops;
  });
}

template <class ChannelArray>
bool shares(const graph& how) {
  return comes_out(share<ChannelArray>, how, std::size_t{how.tokens} * how.users,
                   [&](unsigned i) { return value_of(i % how.users % how.step, i / how.users); });
}

template <class ChannelArray>
bool meets_in_diamond(graph how) {
  how.users = 4 * how.step;
  return comes_out(diamond<ChannelArray>, how, std::size_t{how.tokens} * how.step, [&](unsigned i) {
    const std::uint32_t value = value_of(i % how.step, i / how.step);
    return 100'000 * (value + 1) + (2 * value + 2);
  });
}

}  // namespace finesync::test
