// A request from a client to a server, and the partition of keys over servers.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// Number of 32-bit words of an argument: any trivially copyable struct of whole words, 0 to 24
/// bytes. An empty struct has none, so a request (key and argument) has 1 to 7 words.
template <class Argument>
constexpr unsigned argument_words() {
  static_assert(std::is_trivially_copyable_v<Argument>, "requests are copied word by word");
  if constexpr (std::is_empty_v<Argument>) {
    return 0;
  } else {
    static_assert(sizeof(Argument) % 4 == 0 && sizeof(Argument) <= 24,
                  "an argument is 0 to 6 words of 32 bits");
    return sizeof(Argument) / 4;
  }
}

/// Asks the server to run the service's section for `key` with `argument`.
template <class Argument>
struct request {
  std::uint32_t key;
  Argument argument;
};

/// What is ordered between a client and the section of its request. relaxed: nothing, the message
/// is complete in itself. release_acquire: all that the sender wrote before it, by a release fence
/// before the message and an acquire fence after it.
enum class message_order { relaxed, release_acquire };

/// The argument as words, and back.
template <class Argument>
struct argument_image {
  static constexpr unsigned words = argument_words<Argument>();
  std::uint32_t word[words == 0 ? 1 : words];

  __device__ static argument_image of(const Argument& argument) {
    argument_image image = {};
    if constexpr (words > 0) memcpy(image.word, &argument, sizeof(Argument));
    return image;
  }
  __device__ Argument argument() const {
    Argument copy = {};
    if constexpr (words > 0) memcpy(&copy, word, sizeof(Argument));
    return copy;
  }
};

/// Spreads keys over servers, interleaved (ASPLOS'19 section 3.1.1: data_id % num_server_TB), so
/// that neighbouring keys load different servers.
class key_partition {
 public:
  /// \param servers 1 to 2^16.
  __host__ __device__ explicit key_partition(std::uint32_t servers)
      : servers_(servers), reciprocal_(servers < 2 ? 0 : ~std::uint64_t{0} / servers + 1) {}

  /// The key's local number on its server: below 2^31 unless there is only one server.
  __host__ __device__ std::uint32_t local_of(std::uint32_t key) const {
    if (servers_ < 2) return key;
    // key / servers_ by a 96-bit product, exact for every 32-bit key.
    const std::uint64_t low = (reciprocal_ & 0xffffffffu) * key;
    const std::uint64_t high = (reciprocal_ >> 32) * key;
    return static_cast<std::uint32_t>((high + (low >> 32)) >> 32);
  }
  __host__ __device__ std::uint32_t server_of(std::uint32_t key, std::uint32_t local) const {
    return key - local * servers_;
  }
  __host__ __device__ std::uint32_t key_of(std::uint32_t server, std::uint32_t local) const {
    return local * servers_ + server;
  }

 private:
  std::uint32_t servers_;
  std::uint64_t reciprocal_;
};

}  // namespace finesync::inline FINESYNC_ABI
