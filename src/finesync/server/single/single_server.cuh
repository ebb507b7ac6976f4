// One block that serves all others, and answers: all data are in its shared memory, and each call
// needs two of them. For few data that everybody wants, where an answer must come soon.
//
//|  client warp        L2                   server block
//|  -----------        --                   ------------
//|  post() ──────> request line ──────> a warp: a section per lane,
//|  wait() <────── response line <───── each under the two data that it wants
//
// Each of the server's warps has a share of the lines, and each of its lanes a word of each, at
// which it looks in turn. Where a call has come, the lane runs the section, under its two words,
// which are their own locks (multi_object/full_empty_pair.cuh), answers it and goes on to the next,
// whatever the other lanes of its warp have got to. A client warp's 32 lanes post their calls
// together, and have all answers before the next.
//
// A *service* is a call_service (server/service.cuh); its answers have 31 bits. Calls have 62 bits
// and are not 0, which is none. What a section needs of its call should be unpacked before, not
// while it holds its data. And a *client* is bool operator()(line_client&, unsigned warp, unsigned
// warps), called by whole warps.
//
// Participants: block 0 serves; of each other block the first warps are clients.
// Scope: device between blocks, block within the server.
// Ordering: calls and answers carry values; other memory is not ordered. A section sees what those
//   before it made of its two data.
// Progress: of the lanes that want the same data somebody always gets both. The server never waits
//   for a client. Not fair within the block.
// Residency: all blocks at once. Every wait is bounded by the watchdog.
// Traffic, per 32 calls: a line of 256 bytes and one of 128 through the L2, by an access for each
//   line that the lanes of a warp have got to; polls of as much. In shared memory, per section two
//   exchanges and two stores.
// Fairness: each lane serves its lines in turns.
// Reset: reset() before every launch.
#pragma once

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

namespace finesync {
inline namespace FINESYNC_ABI {

/// How large the server is, and how many clients it has.
struct single_server_config {
  std::uint32_t data = 2;
  unsigned server_warps = 16;
  unsigned client_blocks = 1;  ///< the others of the grid
  unsigned client_warps = 1;   ///< of each client block: the lines that it has

  unsigned threads_per_block() const { return 32 * server_warps; }
  unsigned lines() const { return client_blocks * client_warps; }
  /// Of the server's warps, each of which has those up to where the next begins.
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
  for (std::uint32_t i = threadIdx.x; i < config.data; i += blockDim.x) data[i] = home[i];
  __syncthreads();

  const unsigned warp = threadIdx.x / 32;
  const unsigned first = config.first_line_of(warp);
  const unsigned count = config.first_line_of(warp + 1) - first;
  line_server<Service, Pair>(lines, first, count, service, data, watchdog).run();
  __syncthreads();

  for (std::uint32_t i = threadIdx.x; i < config.data; i += blockDim.x) home[i] = data[i];
}

}  // namespace detail

/// The kernel: block 0 serves, the others are clients.
template <class Pair, class Service, class Client>
__global__ void __launch_bounds__(1024, 1)
    single_server_grid(single_server_config config, detail::server_lines lines, Service service,
                       cell<typename Service::datum>* home, Client client, watchdog_ref watchdog) {
  if (blockIdx.x == 0) {
    detail::serve_lines<Pair>(config, lines, service, home, shared_bytes(), watchdog);
    return;
  }
  const unsigned warp = threadIdx.x / 32;
  if (warp >= config.client_warps) return;
  const unsigned line = (blockIdx.x - 1) * config.client_warps + warp;
  line_client here(lines, line, watchdog);
  if (client(here, line, config.client_blocks * config.client_warps)) here.close();
}

/// Owns the lines, and starts the kernel, in its own stream. Host side.
/// \tparam Pair how a section takes its data; a parameter for the broken variants of the tests.
template <class Service,
          class Pair = full_empty_pair<typename Service::datum, Service::busy, scope::block>>
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

  /// Before every launch.
  void reset() { lines_.fill_bytes(0); }

  static std::size_t shared_bytes(const single_server_config& config) {
    return config.data * sizeof(typename Service::datum);
  }

  /// Queues the kernel: 1 + client_blocks blocks, all of them resident.
  /// \param data at home before and after.
  /// \throws launch_error, naming the number that fits.
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
      throw std::invalid_argument("a delegate has 1 to 32 warps");
    if (config.client_warps == 0 || config.client_warps > config.server_warps)
      throw std::invalid_argument("client blocks have as many warps as the delegate");
    if (config.lines() > config.server_warps * detail::line_server<Service, Pair>::most_lines)
      throw std::invalid_argument("a delegate's warp has at most 32 lines");
  }

  single_server_config config_;
  buffer<unsigned char> lines_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
