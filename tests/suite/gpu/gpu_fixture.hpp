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

}  // namespace finesync::test
