// The rings of the fast message path: what clients and servers share in global memory. The path and
// its contract: fast/channel.cuh.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/server/fast/wire.cuh"
#include "finesync/server/server_config.cuh"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// `Slot` is a parameter, and some members are protected, for the broken twins of the tests.
template <class Argument, template <unsigned> class Slot = wire_slot>
class fast_channel {
 public:
  using argument_type = Argument;
  static constexpr bool keeps_requests = true;  ///< that a handler leaves for later
  static constexpr unsigned min_warps = 1;
  using packed = packed_request<Argument>;
  using slot = Slot<packed::units>;

  /// Global memory for all rings, in bytes.
  static std::size_t memory_bytes(const server_config& config) {
    return config.servers * (sizeof(control) + config.ring * sizeof(slot));
  }

  fast_channel(const server_config& config, unsigned char* memory)
      : config_(config),
        half_bits_(static_cast<unsigned>(std::countr_zero(config.local_buffer / 2))),
        control_(reinterpret_cast<control*>(memory)),
        ring_(reinterpret_cast<slot*>(memory + config.servers * sizeof(control))) {}

  __host__ __device__ const server_config& config() const { return config_; }

  class outbox;  // fast/outbox.cuh
  class inbox;   // fast/inbox.cuh

 protected:
  // What a server and its clients tell each other.
  struct alignas(line_bytes) control {
    /// Ring positions given to clients (upper half) and known to be free again (lower half):
    /// whoever reserves learns by the same access how much space there is.
    cell<std::uint64_t> positions;
    cell<std::uint32_t> clients_done;  ///< clients that send no more
    /// The lower half once more, for clients that wait for space: they would be in the way above.
    alignas(line_bytes) cell<std::uint32_t> consumed;
  };
  static constexpr unsigned reserved_shift = 32;
  static constexpr unsigned all_lanes = 0xffffffffu;
  /// Who waits leaves the instruction slots of the SM to those who work.
  using idle_backoff = exponential_backoff<64, 1024>;

  using device_word = atomic_ref<std::uint32_t, scope::device>;
  using position_word = atomic_ref<std::uint64_t, scope::device>;
  using block_word = atomic_ref<std::uint32_t, scope::block>;

  __device__ slot& at(unsigned server, std::uint32_t position) const {
    return ring_[std::size_t{server} * config_.ring + (position & (config_.ring - 1))];
  }

  server_config config_;
  unsigned half_bits_;  ///< log2 of the requests in half a local buffer
  control* control_;
  slot* ring_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
