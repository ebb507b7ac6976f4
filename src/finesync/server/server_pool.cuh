// SPDX-License-Identifier: Apache-2.0
// Synchronization servers (ASPLOS'19 section 3.1): critical sections are delegated to the thread
// blocks that own the data. Within a server, locks in shared memory exclude the sections from each
// other.
//
// Use: pool.launch(threads_per_block, service, client, watchdog)  //
// docs/library/examples/deposits.cu A *service* (a key_service, server/service.cuh) makes the
// section of a request. A *client* is bool operator()(outbox&, unsigned thread, unsigned threads)
// const; each thread of the client blocks calls it. It sends any number of requests: out.send(key,
// argument). A *partition* (server/partition.cuh) says which server has a key.
//
// A section may access everything that belongs to its key with plain accesses. No other block does,
// so the data may stay in the owner's L1 or in its shared memory (owned_data.cuh). One section may
// combine several requests for the same key (`merge`, see warp_combining_lock.cuh; the result is a
// section of the same type). A section must not wait for another section.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/launch.cuh"
#include "finesync/locks/exclusive.cuh"
#include "finesync/locks/warp_combining_lock.cuh"
#include "finesync/server/channel.cuh"
#include "finesync/server/owned_data.cuh"
#include "finesync/server/partition.cuh"
#include "finesync/server/partition/modulo.cuh"
#include "finesync/server/request.cuh"
#include "finesync/server/server_config.cuh"
#include "finesync/server/service.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace finesync::inline FINESYNC_ABI {

/// Each request waits for its key's lock separately (ASPLOS'19, Listing 2).
template <class Lock>
struct run_each {
  using lock = Lock;
  static constexpr bool leaves_requests = false;

  template <class Section>
  class runner {
   public:
    __device__ explicit runner(const Section& /*any*/, const watchdog_ref& watchdog)
        : watchdog_(watchdog) {}

    /// Whether sections are kept that have not run yet.
    __device__ bool pending() const { return false; }

    /// Called by whole warps. Runs or keeps the sections of the lanes that are `here`; clears
    /// `here` in a lane if it does neither. \returns false when the watchdog ended a wait.
    template <class Server, class Observer>
    __device__ bool step(Server& server, bool& here, std::uint32_t local, const Section& section,
                         Observer& observer) {
      if (!here) return true;
      observer.begin(server.key_of(local));
      return run_exclusive(
          server.lock_of(local), [&] { server.run(local, section); }, watchdog_, observer);
    }

   private:
    const watchdog_ref& watchdog_;
  };
};

/// No lane waits for a lock: a lane that fails to acquire keeps its section, and the warp continues
/// with the next requests. If many lanes fail, lanes with the same key combine their sections, kept
/// ones included, before the next attempt. So the longer a lock is held, the more work its next
/// holder does. A search for partners takes as long as a short section; if it finds few, the warp
/// stops searching. `Lock` must allow a thread to give up after a failed attempt (no queue).
template <class Lock>
struct combine_by_key {
  using lock = Lock;
  static constexpr bool leaves_requests = true;

  template <class Section>
  class runner {
   public:
    /// \param any a section that is not run.
    __device__ runner(const Section& any, const watchdog_ref& watchdog)
        : section_(any), wait_(watchdog, awaited::lock) {}

    __device__ bool pending() const { return pending_; }

    template <class Server, class Observer>
    __device__ bool step(Server& server, bool& here, std::uint32_t local, const Section& section,
                         Observer& observer) {
      here = here && !kept_;
      if (here) {
        section_ = section;
        local_ = local;
        observer.begin(server.key_of(local));
      }
      const bool present = here || kept_;
      const int sections = __popc(__ballot_sync(all_lanes, present));
      bool asks = present;
      if constexpr (mergeable<Section>) {
        if (contended_) {
          const std::uint32_t nobody = 0x80000000u | lane_id();  // local keys have 31 bits
          const lane_group same = lane_group::of_warp_with_same(present ? local_ : nobody);
          section_ = section_.merge(same);
          asks = present && same.is_leader();
          __syncwarp();
        }
      }
      kept_ = asks && !try_to_run(server, observer);
      const unsigned kept = __ballot_sync(all_lanes, kept_);
      pending_ = kept != 0;
      if (!contended_)
        contended_ = 4 * __popc(kept) > sections;
      else if (sections >= 16)  // fewer are too small a sample
        contended_ = 4 * __popc(__ballot_sync(all_lanes, asks)) < 3 * sections;
      if (!pending_) wait_.restart();
      return !pending_ || !__any_sync(all_lanes, wait_.timed_out());
    }

   private:
    static constexpr unsigned all_lanes = 0xffffffffu;

    template <class Server, class Observer>
    __device__ bool try_to_run(Server& server, Observer& observer) {
      Lock lock_of_key = server.lock_of(local_);
      typename Lock::acquisition acquisition = lock_of_key.enqueue();
      if (!lock_of_key.try_enter(acquisition)) {
        observer.retry();
        return false;
      }
      observer.entered();
      server.run(local_, section_);
      observer.leaving();
      lock_of_key.leave(acquisition);
      return true;
    }

    Section section_;
    std::uint32_t local_ = 0;
    bool kept_ = false;
    bool pending_ = false;  // this and the next: the same in all lanes
    bool contended_ = true;
    bounded_wait wait_;
  };
};

namespace detail {

/// Replaces owned_data if the service has none.
struct no_owned_data {
  template <class Partition>
  __device__ no_owned_data(unsigned, unsigned, const Partition&, unsigned char*) {}
  __host__ __device__ static constexpr std::size_t shared_bytes(unsigned) { return 0; }
};

template <class Service, class Partition>
struct owned_data_of {
  using type = no_owned_data;
};
template <keeps_owned_data Service, class Partition>
struct owned_data_of<Service, Partition> {
  using type = owned_data<Service, Partition>;
};

/// A server block: its locks and its owned data in shared memory.
template <class Execution, class Service, class Partition>
class server_block {
 public:
  using lock = typename Execution::lock;
  using data = typename owned_data_of<Service, Partition>::type;

  __host__ __device__ static std::size_t shared_bytes(const server_config& config) {
    return lock_bytes(config) + data::shared_bytes(config.locks);
  }

  /// All threads of the block construct it together; a barrier must follow.
  __device__ server_block(const server_config& config, unsigned server, const Partition& partition,
                          Service& service, unsigned char* shared)
      : service_(service),
        server_(server),
        partition_(partition),
        mask_(config.locks - 1),
        locks_(reinterpret_cast<typename lock::state*>(shared)),
        data_(config.locks, server, partition_, shared + lock_bytes(config)) {
    cell<std::uint32_t>* const words = reinterpret_cast<cell<std::uint32_t>*>(shared);
    for (unsigned i = thread_rank(); i < lock_bytes(config) / 4; i += block_threads()) words[i] = 0;
  }

  __device__ std::uint32_t key_of(std::uint32_t local) const {
    return partition_.key_of(server_, local);
  }
  __device__ lock lock_of(std::uint32_t local) const { return lock(locks_[local & mask_]); }

  /// Runs a section whose lock the caller holds.
  template <class Section>
  __device__ void run(std::uint32_t local, const Section& section) {
    if constexpr (keeps_owned_data<Service>)
      section(data_.fetch(service_, local));
    else
      section();
  }

  /// After the last section; called by all threads of the block.
  __device__ void finish() {
    if constexpr (keeps_owned_data<Service>) {
      __syncthreads();
      data_.write_back(service_);
    }
    if constexpr (requires { service_.finish(); }) service_.finish();
  }

 private:
  // Whole units of 16 bytes, the largest alignment of the data that follow.
  __host__ __device__ static std::size_t lock_bytes(const server_config& config) {
    return (config.locks * sizeof(typename lock::state) + 15) / 16 * 16;
  }

  Service& service_;
  unsigned server_;
  Partition partition_;
  unsigned mask_;
  typename lock::state* locks_;
  data data_;
};

/// Receives requests from an inbox and runs their sections.
template <class Execution, class Service, class Partition, class Observer>
class request_handler {
 public:
  using argument = typename Service::argument;
  using block = server_block<Execution, Service, Partition>;

  __device__ request_handler(block& server, Service& service, const watchdog_ref& watchdog,
                             Observer& observer)
      : server_(server),
        service_(service),
        runner_(service(0, argument{}), watchdog),
        observer_(observer) {}

  __device__ bool operator()(bool& here, std::uint32_t local, const argument& what) {
    const bool ran =
        runner_.step(server_, here, local, service_(server_.key_of(local), what), observer_);
    return __all_sync(0xffffffffu, ran) != 0;
  }
  __device__ bool pending() const { return runner_.pending(); }

 private:
  using section = decltype(std::declval<Service&>()(0u, argument{}));

  block& server_;
  Service& service_;
  typename Execution::template runner<section> runner_;
  Observer& observer_;
};

/// The shared memory of a block. The scratch memory of a partition that samples the load is free
/// again when the rest begins its work.
template <class Channel, class Execution, class Service, class Partition>
struct server_grid_memory {
  using block = server_block<Execution, Service, Partition>;

  /// Bytes of the partition, at the beginning.
  __host__ __device__ static std::size_t table_bytes(const server_config& config) {
    if constexpr (samples_load<Partition>)
      return (Partition::table_bytes(config) + 127) / 128 * 128;
    else
      return 0;
  }
  static std::size_t bytes(const server_config& config, unsigned threads_per_block) {
    const std::size_t server =
        block::shared_bytes(config) + Channel::inbox::shared_bytes(config, threads_per_block);
    std::size_t client = Channel::outbox::shared_bytes(config, threads_per_block);
    if constexpr (samples_load<Partition>)
      client = std::max(client, Partition::scratch_bytes(config));
    return table_bytes(config) + std::max(server, client);
  }
};

}  // namespace detail

/// The kernel: a grid's first blocks are its servers, the others are clients. `Execution` is
/// run_each or combine_by_key of a lock of block scope; blocks are whole warps.
template <message_path Channel, class Execution, partition Partition, class Service, class Client,
          lock_observer Observer>
__global__ void __launch_bounds__(1024, 1)
    server_grid(Channel channel, Partition partition, Service service, Client client,
                watchdog_ref watchdog, Observer observer) {
  assume_one_dimension();
  static_assert(key_service<Service>, "not a key_service: server/service.cuh");
  static_assert(Channel::keeps_requests || !Execution::leaves_requests,
                "this channel drops requests that the execution leaves for later");
  using memory = detail::server_grid_memory<Channel, Execution, Service, Partition>;
  using block = typename memory::block;
  const server_config& config = channel.config();
  const grid_share here = share_of(channel);
  const bool serves = block_rank() < here.servers;
  unsigned char* const table = shared_bytes();
  unsigned char* const shared = table + memory::table_bytes(config);
  if constexpr (samples_load<Partition>) {
    if (!partition.settle(client, !serves, table, shared, watchdog)) return;
    __syncthreads();
  }
  if (serves) {
    const unsigned number = here.first_server + block_rank();
    block server(config, number, partition, service, shared);
    typename Channel::inbox in(channel, number, shared + block::shared_bytes(config), watchdog);
    detail::request_handler<Execution, Service, Partition, Observer> handler(server, service,
                                                                             watchdog, observer);
    in.receive(handler);
    server.finish();
    observer.finish();
  } else {
    typename Channel::outbox out(channel, shared, watchdog);
    routed_outbox<typename Channel::outbox, Partition> to_servers(out, partition);
    const unsigned number = here.first_client + block_rank() - here.servers;
    client(to_servers, number * block_threads() + thread_rank(), config.clients * block_threads());
    out.finish();
  }
}

/// Owns the memory of all rings and starts the kernel in its own stream. Host side.
template <channel Channel, class Execution, partition Partition = modulo_partition>
class server_pool {
 public:
  /// \throws std::invalid_argument for an impossible configuration, std::bad_alloc when device
  /// memory is used up.
  explicit server_pool(const server_config& config, const stream& on = {})
      : config_((check(config), config)),
        memory_(partition_begin(config) + Partition::memory_bytes(config), on) {
    reset();
  }

  /// Empties all rings. Call it before every launch.
  void reset() { memory_.fill_bytes(0); }

  /// Shared memory of a block, which may be a server or a client.
  template <class Service>
  static std::size_t shared_bytes(const server_config& config, unsigned threads_per_block) {
    return detail::server_grid_memory<Channel, Execution, Service, Partition>::bytes(
        config, threads_per_block);
  }

  /// Queues the kernel: servers + clients blocks, all of them resident.
  /// \throws launch_error with the number of blocks that fit, or of warps that a block needs.
  template <class Service, class Client, lock_observer Observer = no_observer>
  void launch(unsigned threads_per_block, const Service& service, const Client& client,
              const watchdog_ref& watchdog, const Observer& observer = {}) {
    if (threads_per_block % 32 != 0 || threads_per_block / 32 < Channel::min_warps) {
      throw launch_error("blocks of " + std::to_string(threads_per_block) +
                         " threads cannot be servers: they need whole warps, at least " +
                         std::to_string(Channel::min_warps));
    }
    launch_cooperative(memory_.own_stream(),
                       server_grid<Channel, Execution, Partition, Service, Client, Observer>,
                       {.blocks = config_.servers + config_.clients,
                        .threads_per_block = threads_per_block,
                        .shared_bytes = shared_bytes<Service>(config_, threads_per_block)},
                       Channel(config_, memory_.raw_pointer()),
                       Partition(config_, memory_.raw_pointer() + partition_begin(config_)),
                       service, client, watchdog, observer);
  }

  const server_config& config() const { return config_; }

 private:
  static std::size_t partition_begin(const server_config& config) {
    return (Channel::memory_bytes(config) + line_bytes - 1) / line_bytes * line_bytes;
  }

  server_config config_;
  buffer<unsigned char> memory_;  ///< of the rings, then of the partition
};

}  // namespace finesync::inline FINESYNC_ABI
