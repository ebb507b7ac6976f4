// What the experiments with servers share, on one GPU or several: the clients, the servers of a
// grid, and what a configuration leaves open.
#pragma once

#include "run_config.hpp"
#include "table.cuh"

#include <bench/experiment.hpp>
#include <finesync/server/partition/balanced.cuh>
#include <finesync/server/partition/modulo.cuh>
#include <finesync/server/partition/range.cuh>
#include <finesync/server/request.cuh>
#include <finesync/server/server_config.cuh>
#include <workloads/common/grid.cuh>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>

namespace finesync::ht {

/// Whether an outbox accepts several requests at once.
template <class Outbox>
concept sends_batches = requires(Outbox& out, const request<std::uint32_t> (&batch)[1]) {
  out.send(batch);
};

struct insert_client {
  problem what;
  std::uint32_t work;  ///< arithmetic before each insert

  __device__ std::uint32_t requests() const { return what.inserts; }
  __device__ std::uint32_t key_of_request(std::uint32_t i) const { return entry_of(what, i); }

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    constexpr unsigned at_once = 4;
    std::uint32_t i = thread;
    if constexpr (sends_batches<Outbox>) {
      for (; i + (at_once - 1) * threads < what.inserts; i += at_once * threads) {
        spend_arithmetic(at_once * work);
        request<std::uint32_t> batch[at_once];
        for (unsigned k = 0; k < at_once; ++k)
          batch[k] = {entry_of(what, i + k * threads), i + k * threads};
        if (!out.send(batch)) return false;
      }
    }
    for (; i < what.inserts; i += threads) {
      spend_arithmetic(work);
      if (!out.send(entry_of(what, i), i)) return false;
    }
    return true;
  }
};

/// The blocks that a configuration asks for, of each grid. \param grids share the GPU.
inline unsigned blocks_for(const run_config& options, unsigned grids = 1) {
  const unsigned together = std::max(1u, options.blocks_per_sm) * workload::sms_of_grid(options);
  return std::max(1u, together / grids);
}

/// The servers among the blocks of each GPU.
inline unsigned share_of_servers(const run_config& options, unsigned blocks) {
  return std::max(1u, (blocks * options.servers.percent + 50) / 100);
}

/// The most servers of each GPU that a partition holds.
template <class Partition>
unsigned most_servers(const run_config& options) {
  if constexpr (requires { Partition::max_servers; })
    return Partition::max_servers / options.gpus;
  else
    return std::numeric_limits<unsigned>::max();
}

/// The servers and clients among the blocks of each GPU, all GPUs together.
template <class Partition>
server_config servers_of(const run_config& options, unsigned blocks) {
  server_config config;
  config.gpus = options.gpus;
  config.servers = share_of_servers(options, blocks);
  if (options.servers.percent_is_open)
    config.servers = std::min(config.servers, most_servers<Partition>(options));
  config.clients = blocks - std::min(blocks, config.servers);
  config.servers *= config.gpus;
  config.clients *= config.gpus;
  config.ring = options.servers.ring;
  config.locks = options.servers.locks;
  config.local_buffer = options.servers.local_buffer;
  config.keys = options.problem.table_size;
  return config;
}

/// What is left open: the paper's number of locks, or the most that the blocks have room for; two
/// blocks per SM, or one. Two only if the partition holds their share of servers: otherwise the
/// second would add clients alone. \param grids share the GPU. \param fits whether the grid of a
/// configuration can be resident.
template <class Partition, class Fits>
run_config with_what_fits(run_config options, unsigned grids, const Fits& fits) {
  constexpr unsigned usual = 4096;
  constexpr unsigned least = 32;
  if (options.servers.locks == 0) {
    options.servers.locks = usual;
    while (options.servers.locks > least && !fits(options)) options.servers.locks /= 2;
    if (!fits(options)) options.servers.locks = usual;
  }
  if (options.blocks_per_sm == 0) {
    options.blocks_per_sm = 2;
    if (share_of_servers(options, blocks_for(options, grids)) > most_servers<Partition>(options) ||
        !fits(options))
      options.blocks_per_sm = 1;
  }
  return options;
}

/// Calls make<Partition>() with that of the configuration.
/// \tparam Freely whether the run has a choice; otherwise modulo, as in the paper.
template <bool Freely, class Make>
std::unique_ptr<bench::experiment> with_partition(const run_config& options, const Make& make) {
  try {
    if constexpr (Freely) {
      switch (options.servers.partition) {
        case partition_policy::balanced:
          return make.template operator()<balanced_partition>();
        case partition_policy::range:
          return make.template operator()<range_partition>();
        case partition_policy::modulo:
          break;
      }
    }
    return make.template operator()<modulo_partition>();
  } catch (const std::invalid_argument& limit) {  // beyond the limits of the message path
    throw bench::infeasible(limit.what());
  }
}

}  // namespace finesync::ht
