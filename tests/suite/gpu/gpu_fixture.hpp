// Skips a test where no GPU is usable.
#pragma once

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

namespace finesync::test {

class on_gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU";
  }
};

/// The same for a test of two.
class two_gpus : public on_gpu {
 protected:
  void SetUp() override {
    on_gpu::SetUp();
    int devices = 0;
    if (!IsSkipped() && (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2))
      GTEST_SKIP() << "one GPU";
  }
};

}  // namespace finesync::test
