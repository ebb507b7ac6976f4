// One block that serves all others, and answers: all data are in its shared memory, and each call
// needs two of them. For few data that everybody wants, where an answer must come soon.
//
//   client warp        L2                            server block
//   -----------        --                            ------------
//   post() ──────> request line, bell ──────> fetching warp ──> row ──> running warp
//                                                                          a column per lane:
//   wait() <────── response line <─────────── fetching warp <── row <──    take two data, section
//
// Half of the server's warps run sections, each under the two words that it wants, which are their
// own locks (locks/word_pair.cuh); each of them has a warp that fetches its calls and brings the
// answers back. A client warp's 32 lanes post their calls together, and have all answers before the
// next.
//
// A *service* has
//     using datum = ...;              // an unsigned integer of 32 bits
//     static constexpr datum busy = ...;            // a value that no datum ever has
//     struct places { first, second };              // two different ones
//     __device__ places places_of(std::uint64_t call) const;
//     __device__ std::uint32_t operator()(datum& first, datum& second, std::uint64_t call);
// of which the last is the section; its answer has 31 bits. Calls have 62 bits and are not 0, which
// is none. And a *client* is bool operator()(caller&, unsigned warp, unsigned warps), called by
// whole warps.
//
// Participants: block 0 serves; of each other block the first warps are clients.
// Scope: device between blocks, block within the server.
// Ordering: calls and answers carry values; other memory is not ordered. A section sees what those
//   before it made of its two data.
// Progress: a call is fetched when those have been that were found with it, and run in the order of
//   its column; of those who want the same data somebody always gets both. The server never waits
//   for a client. Not fair within the block.
// Residency: all blocks at once. Every wait is bounded by the watchdog.
// Traffic, per 32 calls: a line of 256 bytes and one of 128 through the L2, and a bell; polls. In
//   shared memory, per section two exchanges and two stores, and the call and its answer.
// Fairness: lines are fetched in turns.
// Reset: reset() before every launch.
#pragma once

#include "finesync/device/buffer.cuh"
#include "finesync/device/launch.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/locks/word_pair.cuh"
#include "finesync/server/delegate/handlers.cuh"
#include "finesync/server/delegate/lines.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace finesync {
inline namespace FINESYNC_ABI {

/// How large the server is, and how many clients it has.
struct delegate_config {
  std::uint32_t data = 2;
  unsigned running_warps = 4;  ///< of the server; as many fetch for them
  unsigned client_blocks = 1;  ///< the others of the grid
  unsigned client_warps = 1;   ///< of each client block: the lines that it has

  unsigned threads_per_block() const { return 64 * running_warps; }
  unsigned lines() const { return client_blocks * client_warps; }
  __host__ __device__ unsigned lines_of_warp() const {
    return (client_blocks * client_warps + running_warps - 1) / running_warps;
  }
  /// Rows between a fetching and a running warp: 32 KiB for all, of which none needs more than 32.
  __host__ __device__ unsigned rows() const {
    unsigned rows = 32;
    while (rows > 4 && rows * running_warps > 128) rows /= 2;
    return rows;
  }
};

namespace detail {

/// Where what is in the server's shared memory.
struct delegate_layout {
  std::size_t done;  ///< behind the rows
  std::size_t data;
  std::size_t end;

  __host__ __device__ delegate_layout(const delegate_config& config, std::size_t datum_bytes)
      : done(config.running_warps * call_rows::shared_bytes(config.rows())),
        data(done + sizeof(std::uint64_t)),
        end(data + config.data * datum_bytes) {}
};

template <class Pair, class Service>
__device__ void serve_lines(const delegate_config& config, const delegation_lines& lines,
                            const Service& service, cell<typename Service::datum>* home,
                            unsigned char* shared, const watchdog_ref& watchdog) {
  using datum = typename Service::datum;
  const delegate_layout layout(config, sizeof(datum));
  auto* const data = reinterpret_cast<cell<datum>*>(shared + layout.data);
  for (std::uint32_t i = threadIdx.x; i < config.data; i += blockDim.x) data[i] = home[i];
  auto* const words = reinterpret_cast<cell<std::uint64_t>*>(shared);
  for (unsigned i = threadIdx.x; i < layout.data / sizeof(std::uint64_t); i += blockDim.x)
    words[i] = 0;
  __syncthreads();

  const unsigned warp = threadIdx.x / 32;
  const bool runs = warp < config.running_warps;
  const unsigned pair = runs ? warp : warp - config.running_warps;
  const call_rows rows(config.rows(), shared + pair * call_rows::shared_bytes(config.rows()));
  const done_count done(*reinterpret_cast<cell<std::uint32_t>*>(shared + layout.done),
                        config.running_warps);
  if (runs) {
    call_runner<Service, Pair>(service, data, rows).run(done);
  } else {
    const unsigned first = pair * config.lines_of_warp();
    const unsigned all = config.client_blocks * config.client_warps;
    const unsigned left = first < all ? all - first : 0;
    const unsigned count = left < config.lines_of_warp() ? left : config.lines_of_warp();
    line_fetcher(lines, first, count, rows, watchdog).run();
    if (lane_id() == 0) done.count();
  }
  __syncthreads();

  for (std::uint32_t i = threadIdx.x; i < config.data; i += blockDim.x) home[i] = data[i];
}

}  // namespace detail

/// The kernel: block 0 serves, the others are clients.
template <class Pair, class Service, class Client>
__global__ void __launch_bounds__(1024, 1)
    delegate_grid(delegate_config config, detail::delegation_lines lines, Service service,
                  cell<typename Service::datum>* home, Client client, watchdog_ref watchdog) {
  if (blockIdx.x == 0) {
    detail::serve_lines<Pair>(config, lines, service, home, shared_bytes(), watchdog);
    return;
  }
  const unsigned warp = threadIdx.x / 32;
  if (warp >= config.client_warps) return;
  const unsigned line = (blockIdx.x - 1) * config.client_warps + warp;
  caller here(lines, line, watchdog);
  if (client(here, line, config.client_blocks * config.client_warps)) here.close();
}

/// Owns the lines, and starts the kernel, in its own stream. Host side.
/// \tparam Pair how a section takes its data; a parameter for the broken twins of the tests.
template <class Service,
          class Pair = word_pair<typename Service::datum, Service::busy, scope::block>>
class delegate_server {
 public:
  /// \throws std::invalid_argument for an impossible configuration, std::bad_alloc when device
  /// memory is used up.
  explicit delegate_server(const delegate_config& config, const stream& home = {})
      : config_((check(config), config)),
        lines_(detail::delegation_lines::memory_bytes(config.lines()), home) {
    reset();
  }

  /// Before every launch.
  void reset() { lines_.fill_bytes(0); }

  static std::size_t shared_bytes(const delegate_config& config) {
    return detail::delegate_layout(config, sizeof(typename Service::datum)).end;
  }

  /// Queues the kernel: 1 + client_blocks blocks, all of them resident.
  /// \param data at home before and after.
  /// \throws launch_error, naming the number that fits.
  template <class Client>
  void launch(const Service& service, cell<typename Service::datum>* data, const Client& client,
              const watchdog_ref& watchdog) {
    launch_cooperative(lines_.home(), delegate_grid<Pair, Service, Client>,
                       {.blocks = 1 + config_.client_blocks,
                        .threads_per_block = config_.threads_per_block(),
                        .shared_bytes = shared_bytes(config_)},
                       config_, detail::delegation_lines(config_.lines(), lines_.data()), service,
                       data, client, watchdog);
  }

  const delegate_config& config() const { return config_; }

 private:
  static void check(const delegate_config& config) {
    if (config.running_warps == 0 || config.running_warps > 16)
      throw std::invalid_argument("a delegate has 1 to 16 running warps");
    if (config.client_warps == 0 || config.client_warps > 2 * config.running_warps)
      throw std::invalid_argument("client blocks have as many warps as the delegate's");
    if (config.lines_of_warp() > detail::line_fetcher::most_lines)
      throw std::invalid_argument("a fetching warp has at most " +
                                  std::to_string(detail::line_fetcher::most_lines) + " lines");
  }

  delegate_config config_;
  buffer<unsigned char> lines_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
