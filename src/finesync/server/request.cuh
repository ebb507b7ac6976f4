// SPDX-License-Identifier: Apache-2.0
// A request from a client to a server.
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

/// Where a request goes.
struct destination {
  unsigned server;
  std::uint32_t local;  ///< the key's number on its server
};

/// A request whose destination is known.
template <class Argument>
struct routed_request {
  destination to;
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

}  // namespace finesync::inline FINESYNC_ABI
