// SPDX-License-Identifier: Apache-2.0
// The order that a program gives its operations on the device: by streams, events, and waits of the
// host. Operations run one after the other here; on a GPU, those that nothing orders may overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace cudart {

/// Of each stream, how many of its operations come before.
using stream_clock = std::map<std::uint32_t, std::uint64_t>;

/// Adds what another point comes after.
void join(stream_clock& to, const stream_clock& other);

/// An operation: the `number`-th of its stream, from 1.
struct operation_stamp {
  std::uint32_t stream = 0;
  std::uint64_t number = 0;
  stream_clock before;  ///< and itself
  bool comes_after(std::uint32_t other_stream, std::uint64_t other_number) const {
    const auto found = before.find(other_stream);
    return found != before.end() && found->second >= other_number;
  }
};

class stream_order {
 public:
  static constexpr std::uint32_t default_stream = 0;

  /// \param meets_default unless cudaStreamNonBlocking: the default stream waits for it, and it for
  /// the default stream.
  std::uint32_t add(bool meets_default);

  /// The next operation of the stream.
  operation_stamp begin(std::uint32_t stream);

  /// What an event of the stream stands for now.
  stream_clock recorded(std::uint32_t stream) const { return clock_of(stream); }
  void wait(std::uint32_t stream, const stream_clock& event);

  void host_waits_for(const stream_clock& event);
  void host_waits_for_stream(std::uint32_t stream);
  void host_waits_for_all();
  bool host_comes_after(std::uint32_t stream, std::uint64_t number) const;

  /// Whether there is more than the default stream.
  bool has_several() const { return !streams_.empty(); }

 private:
  struct known_stream {
    bool meets_default = true;
    stream_clock clock;
  };
  stream_clock clock_of(std::uint32_t stream) const;

  stream_clock host_;
  stream_clock default_;
  std::map<std::uint32_t, known_stream> streams_;  ///< but the default one
  std::map<std::uint32_t, std::uint64_t> begun_;
};

}  // namespace cudart
