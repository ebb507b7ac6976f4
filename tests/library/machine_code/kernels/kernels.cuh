// The common part of the kernels of this folder. expected.py names each kernel and states the
// required machine code.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>

#include <cstdint>

using namespace finesync;

using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
