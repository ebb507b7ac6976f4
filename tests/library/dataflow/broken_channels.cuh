// Broken channels: their consumer does not wait.
#pragma once

#include <finesync/dataflow/full_empty_channels.cuh>

namespace finesync::test {

class broken_channel : public full_empty_channel {
 public:
  __device__ explicit broken_channel(const full_empty_channel& right) : full_empty_channel(right) {}

  __device__ bool try_read(std::uint32_t& token) {
    full_empty_channel::try_read(token);
    return true;
  }
};

class broken_channels : public full_empty_channels {
 public:
  using full_empty_channels::full_empty_channels;

  __device__ broken_channel channel_of(unsigned producer) const {
    return broken_channel(full_empty_channels::channel_of(producer));
  }
};

}  // namespace finesync::test
