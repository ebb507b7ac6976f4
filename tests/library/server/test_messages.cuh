// Clients that send numbered requests, and servers that file each request under its key. This
// minimum reveals a request that is lost, doubled, torn or misdirected, and sections that overlap.
#pragma once

#include <finesync/device/warp.cuh>
#include <finesync/server/request.cuh>
#include <inputs/random.cuh>

#include <tests/library/harness/run.hpp>

namespace finesync::test {

/// The sending threads of the clients. two_ways: all, odd and even lanes at different places.
enum class sender_set { all, uneven, some_lanes, some_blocks, one_thread, none, two_ways };

/// Senders, requests and destinations; the host and the kernel compute them alike.
struct test_messages {
  std::uint32_t seed = 1;
  sender_set senders = sender_set::all;
  std::uint32_t most = 0;  ///< requests of one thread
  std::uint32_t threads_per_block = 0;
  std::uint32_t keys = 0;
  std::uint32_t first_key = 0;
  std::uint32_t batch = 1;  ///< requests that a thread sends together: 1 or 3
  std::uint32_t key_step =
      1;  ///< if equal to the number of servers, all requests go to one of them

  __host__ __device__ std::uint32_t requests_of(std::uint32_t thread) const {
    switch (senders) {
      case sender_set::all:
      case sender_set::two_ways:
        return most;
      case sender_set::uneven:
        return inputs::bounded(inputs::random32(seed, 1, thread), most + 1);
      case sender_set::some_lanes:
        return inputs::random32(seed, 2, thread % 32) % 4 == 0 ? most : 0;
      case sender_set::some_blocks:
        return thread / threads_per_block % 2 == 0 ? most : 0;
      case sender_set::one_thread:
        return thread == 0 ? most : 0;
      default:
        return 0;
    }
  }
  /// Unique number of a request.
  __host__ __device__ std::uint32_t number_of(std::uint32_t thread, std::uint32_t i) const {
    return thread * most + i;
  }
  /// A request's key among the `keys`.
  __host__ __device__ std::uint32_t key_index_of(std::uint32_t number) const {
    return inputs::bounded(inputs::random32(seed, 3, number), keys);
  }
  __host__ __device__ std::uint32_t key_of(std::uint32_t number) const {
    return first_key + key_index_of(number) * key_step;
  }
  /// Word `i` of a request's argument.
  __host__ __device__ std::uint32_t word_of(std::uint32_t number, std::uint32_t i) const {
    return i == 0 ? number : inputs::random32(seed, 3 + i, number);
  }
};

template <unsigned Words>
struct test_message {
  std::uint32_t word[Words];
};
template <>
struct test_message<0> {};

template <unsigned Words>
__device__ test_message<Words> test_message_of(const test_messages& all, std::uint32_t number) {
  test_message<Words> text;
  if constexpr (Words > 0)
    for (unsigned i = 0; i < Words; ++i) text.word[i] = all.word_of(number, i);
  return text;
}

/// The received requests. Those with a number are filed as entry number + 1; entry 0 ends a list.
struct received_messages {
  cell<std::uint32_t>* count;    ///< by key: number of requests
  cell<std::uint32_t>* head;     ///< by key: their list
  cell<std::uint32_t>* next;     ///< by entry
  cell<std::uint32_t>* foreign;  ///< requests that no client sent in this form, and broken lists
};

/// The section: counts requests of a key and puts them on its list, with plain accesses.
template <bool Merges>
class file_message {
 public:
  __device__ file_message(const received_messages& files, std::uint32_t key, std::uint32_t entry,
                          bool foreign)
      : file_message(files, key, entry, entry, {1, foreign ? 1u : 0u}) {}

  __device__ void operator()() const { (*this)(files_.head[key_]); }

  /// For servers that keep the heads of lists in their shared memory.
  __device__ void operator()(cell<std::uint32_t>& head) const {
    files_.count[key_] = files_.count[key_] + number_of_.requests;
    if (last_ != 0) files_.next[last_] = head;  // a request without a number is on no list
    head = first_;
    const std::uint32_t wrong = number_of_.foreign + (is_linked(files_.count[key_]) ? 0 : 1);
    if (wrong != 0)
      atomic_ref<std::uint32_t, scope::device>(*files_.foreign)
          .fetch_add(wrong, memory_order::relaxed);
  }

  __device__ file_message merge(const lane_group& group) const requires Merges {
    const std::uint32_t after = group.get(first_, group.next());
    if (!group.is_last() && last_ != 0) files_.next[last_] = after;
    return {files_, key_, group.get(first_, group.leader()), group.get(last_, group.last()),
            sum_over(group.detached())};
  }

 private:
  struct counts {
    std::uint32_t requests;
    std::uint32_t foreign;
  };

  __device__ file_message(const received_messages& files, std::uint32_t key, std::uint32_t first,
                          std::uint32_t last, const counts& number_of)
      : files_(files), key_(key), first_(first), last_(last), number_of_(number_of) {}

  /// Checks the newest of `entries`, some of which other lanes linked while they merged.
  __device__ bool is_linked(std::uint32_t entries) const {
    std::uint32_t entry = first_;
    if (entry == 0) return true;  // without a number
    for (std::uint32_t i = 1; i < entries && i < 4 && entry != 0; ++i) entry = files_.next[entry];
    return entry != 0;
  }

  __device__ counts sum_over(const lane_group& lanes) const {
    counts sum = {0, 0};
    for (int lane = lanes.leader(), left = lanes.size(); left > 0; --left) {
      sum.requests += lanes.get(number_of_.requests, lane);
      sum.foreign += lanes.get(number_of_.foreign, lane);
      lane = lanes.get(lanes.next(), lane);
    }
    return sum;
  }

  received_messages files_;
  std::uint32_t key_;
  std::uint32_t first_;
  std::uint32_t last_;
  counts number_of_;
};

/// The service: files requests that a client sent, and counts the others.
template <unsigned Words, bool Merges>
class message_service {
 public:
  static constexpr unsigned words = Words;
  using argument = test_message<Words>;

  /// \param numbers bound of all numbers of requests.
  message_service(const test_messages& all, const received_messages& files, std::uint32_t numbers)
      : all_(all), files_(files), numbers_(numbers) {}

  __device__ file_message<Merges> operator()(std::uint32_t key, const argument& text) const {
    const std::uint32_t index = index_of(key);
    bool known = index < all_.keys;
    std::uint32_t entry = 0;
    if constexpr (Words > 0) {
      const std::uint32_t number = text.word[0];
      known = known && number < numbers_ && key == all_.key_of(number);
      for (unsigned i = 1; i < Words; ++i) known = known && text.word[i] == all_.word_of(number, i);
      entry = number + 1;
    }
    if (!known) return {files_, all_.keys, 0, true};
    return {files_, index, entry, false};
  }

 protected:
  /// The key's index; one past the last for a key without senders.
  __device__ std::uint32_t index_of(std::uint32_t key) const {
    const std::uint32_t index = (key - all_.first_key) / all_.key_step;
    return index < all_.keys && key == all_.first_key + index * all_.key_step ? index : all_.keys;
  }

  test_messages all_;
  received_messages files_;
  std::uint32_t numbers_;
};

/// The same with the heads of the lists in the servers' shared memory.
template <unsigned Words, bool Merges>
class message_service_with_own_heads : public message_service<Words, Merges> {
 public:
  using message_service<Words, Merges>::message_service;
  using owned = std::uint32_t;
  __device__ cell<owned>& home(std::uint32_t key) const {
    return this->files_.head[this->index_of(key)];
  }
};

/// The clients: each thread sends its requests, three at a time if configured and possible.
template <unsigned Words>
struct senders {
  test_messages all;

  /// For partitions that sample the load: some of the numbers, as keys do not depend on them.
  __device__ std::uint32_t requests() const { return 1024; }
  __device__ std::uint32_t key_of_request(std::uint32_t i) const { return all.key_of(i); }

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned /*threads*/) const {
    if (all.senders == sender_set::two_ways && thread % 2 == 1) return send_backwards(out, thread);
    std::uint32_t i = 0;
    using batch = const request<test_message<Words>>(&)[3];
    if constexpr (requires(batch three) { out.send(three); }) {
      for (; all.batch == 3 && i + 3 <= all.requests_of(thread); i += 3) {
        const request<test_message<Words>> three[3] = {
            request_of(thread, i), request_of(thread, i + 1), request_of(thread, i + 2)};
        if (!out.send(three)) return false;
      }
    }
    for (; i < all.requests_of(thread); ++i) {
      const request<test_message<Words>> one = request_of(thread, i);
      if (!out.send(one.key, one.argument)) return false;
    }
    return true;
  }

 private:
  template <class Outbox>
  __device__ bool send_backwards(Outbox& out, unsigned thread) const {
    for (std::uint32_t i = all.requests_of(thread); i > 0; --i) {
      const request<test_message<Words>> one = request_of(thread, i - 1);
      if (!out.send(one.key, one.argument)) return false;
    }
    return true;
  }

  __device__ request<test_message<Words>> request_of(std::uint32_t thread, std::uint32_t i) const {
    const std::uint32_t number = all.number_of(thread, i);
    return {all.key_of(number), test_message_of<Words>(all, number)};
  }
};

}  // namespace finesync::test
