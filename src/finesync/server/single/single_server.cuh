// SPDX-License-Identifier: Apache-2.0
// One block serves all others and replies. All data are in its shared memory, and each call needs
// two of them. For few data that all clients use, if replies must be fast.
//
//|  client warp        L2                   server block
//|  -----------        --                   ------------
//|  post() ──────> request line ──────> a warp: one section per lane,
//|  wait() <────── response line <───── each holding the two data of its call
//
// Each of the server's warps has some of the lines, and each of its lanes one word of each line,
// which it polls in turn. If a call has arrived, the lane runs the section while it holds the two
// data, which are full/empty words (multi_object/full_empty_pair.cuh). Then it replies and
// continues with its next line, independently of the other lanes of its warp. The 32 lanes of a
// client warp post their calls together, and receive all replies before the next call.
//
// Use: server.launch(service, data, client, watchdog)
// A *service* is a call_service (server/service.cuh); its replies have 31 bits. Calls have 62 bits
// and are not 0, which means no call. unpacked() should decode everything that a section needs, so
// that no lane decodes while it holds data. A *client* is bool operator()(line_client&, unsigned
// warp, unsigned warps), called by whole warps.
//
// Participants: block 0 is the server; the first warps of each other block are clients.
// Scope: device between blocks, block within the server.
// Ordering: calls and replies carry values; other memory is not ordered. A section sees its two
//   data as earlier sections left them.
// Progress: of the lanes that want the same data, some lane always gets both. The server never
//   waits for a client. Not fair within the block.
// Residency: all blocks at once. Every wait is bounded by the watchdog.
// Traffic, per 32 calls: a line of 256 bytes and one of 128 through the L2, with one access for
//   each line that the lanes of a warp are at; polls of the same size. In shared memory, two
//   exchanges and two stores per section.
// Fairness: each lane serves its lines in turn.
// Reset: reset() before every launch.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/launch.cuh"
#include "finesync/multi_object/full_empty_pair.cuh"
#include "finesync/server/service.cuh"
#include "finesync/server/single/line_server.cuh"
#include "finesync/server/single/lines.cuh"

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace finesync::inline FINESYNC_ABI {

/// Size of the server, and number of its clients.
struct single_server_config {
  std::uint32_t data = 2;
  unsigned server_warps = 16;
  unsigned client_blocks = 1;  ///< all blocks of the grid except the server
  unsigned client_warps = 1;   ///< per client block; each has one line

  unsigned threads_per_block() const { return 32 * server_warps; }
  unsigned lines() const { return client_blocks * client_warps; }
  /// First line of a warp of the server; its lines end where those of the next warp begin.
  __host__ __device__ unsigned first_line_of(unsigned warp) const {
    return warp * (client_blocks * client_warps) / server_warps;
  }
};

namespace detail {

template <class Pair, class Service>
__device__ void serve_lines(const single_server_config& config, const server_lines& lines,
                            const Service& service, cell<typename Service::datum>* home,
                            unsigned char* shared, const watchdog_ref& watchdog) {
  auto* const data = reinterpret_cast<cell<typename Service::datum>*>(shared);
  for (std::uint32_t i = thread_rank(); i < config.data; i += block_threads()) data[i] = home[i];
  __syncthreads();

  const unsigned warp = thread_rank() / 32;
  const unsigned first = config.first_line_of(warp);
  const unsigned count = config.first_line_of(warp + 1) - first;
  line_server<Service, Pair>(lines, first, count, service, data, watchdog).run();
  __syncthreads();

  for (std::uint32_t i = thread_rank(); i < config.data; i += block_threads()) home[i] = data[i];
}

}  // namespace detail

/// The kernel: block 0 is the server, the others are clients.
template <class Pair, class Service, class Client>
__global__ void __launch_bounds__(1024, 1)
    single_server_grid(single_server_config config, detail::server_lines lines, Service service,
                       cell<typename Service::datum>* home, Client client, watchdog_ref watchdog) {
  assume_one_dimension();
  if (block_rank() == 0) {
    detail::serve_lines<Pair>(config, lines, service, home, shared_bytes(), watchdog);
    return;
  }
  const unsigned warp = thread_rank() / 32;
  if (warp >= config.client_warps) return;
  const unsigned line = (block_rank() - 1) * config.client_warps + warp;
  line_client here(lines, line, watchdog);
  if (client(here, line, config.client_blocks * config.client_warps)) here.close();
}

/// Owns the lines and starts the kernel in its own stream. Host side.
/// \tparam Pair how a section takes its data; a parameter for the broken variants of the tests.
template <class Service,
          class Pair = full_empty_pair<typename Service::datum, Service::empty, scope::block>>
class single_server {
  static_assert(call_service<Service>, "not a call_service: server/service.cuh");

 public:
  /// \throws std::invalid_argument for an impossible configuration, std::bad_alloc when device
  /// memory is used up.
  explicit single_server(const single_server_config& config, const stream& on = {})
      : config_((check(config), config)),
        lines_(detail::server_lines::memory_bytes(config.lines()), on) {
    reset();
  }

  /// Call it before every launch.
  void reset() { lines_.fill_bytes(0); }

  static std::size_t shared_bytes(const single_server_config& config) {
    return config.data * sizeof(typename Service::datum);
  }

  /// Queues the kernel: 1 + client_blocks blocks, all of them resident.
  /// \param data the home of the data: read at the start, written at the end.
  /// \throws launch_error with the number of blocks that fit.
  template <class Client>
  void launch(const Service& service, cell<typename Service::datum>* data, const Client& client,
              const watchdog_ref& watchdog) {
    launch_cooperative(lines_.own_stream(), single_server_grid<Pair, Service, Client>,
                       {.blocks = 1 + config_.client_blocks,
                        .threads_per_block = config_.threads_per_block(),
                        .shared_bytes = shared_bytes(config_)},
                       config_, detail::server_lines(config_.lines(), lines_.raw_pointer()),
                       service, data, client, watchdog);
  }

  const single_server_config& config() const { return config_; }

 private:
  static void check(const single_server_config& config) {
    if (config.server_warps == 0 || config.server_warps > 32)
      throw std::invalid_argument("single server: 1 to 32 server warps");
    if (config.client_warps == 0 || config.client_warps > config.server_warps)
      throw std::invalid_argument("single server: 1 to server_warps client warps per block");
    if (config.lines() > config.server_warps * detail::line_server<Service, Pair>::max_lines)
      throw std::invalid_argument("single server: at most 32 client warps per server warp");
  }

  single_server_config config_;
  buffer<unsigned char> lines_;
};

}  // namespace finesync::inline FINESYNC_ABI
