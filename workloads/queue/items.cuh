// Numbered items that carry a checksum.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::queue {

/// An item of 4 bytes has room for its number alone.
template <unsigned Bytes>
struct numbered_item;

template <>
struct numbered_item<4> {
  std::uint32_t number;

  __device__ static numbered_item of(std::uint32_t n) { return {n}; }
  __device__ bool right() const { return true; }
};

template <>
struct numbered_item<8> {
  std::uint32_t number;
  std::uint32_t check;

  __device__ static numbered_item of(std::uint32_t n) { return {n, n * 2654435761u}; }
  __device__ bool right() const { return check == number * 2654435761u; }
};

template <>
struct numbered_item<16> {
  std::uint32_t number;
  std::uint32_t check;
  std::uint32_t more[2];

  __device__ static numbered_item of(std::uint32_t n) {
    return {n, n * 2654435761u, {n ^ 0x5eed5eedu, ~n}};
  }
  __device__ bool right() const {
    return check == number * 2654435761u && more[0] == (number ^ 0x5eed5eedu) && more[1] == ~number;
  }
};

}  // namespace finesync::queue
