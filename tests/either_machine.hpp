// Tests that are compiled for both machines: by nvcc for a GPU, where each is skipped if there is
// none.
#pragma once

#include <gtest/gtest.h>

#ifndef FINESYNC_HOST_EXECUTOR
#include <tests/suite/gpu/gpu_fixture.hpp>
#endif

namespace finesync::test {

#ifdef FINESYNC_HOST_EXECUTOR
using either_machine = ::testing::Test;
#else
using either_machine = on_gpu;
#endif

}  // namespace finesync::test
