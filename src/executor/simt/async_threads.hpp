// SPDX-License-Identifier: Apache-2.0
// Async threads: what an asynchronous operation does, as if by another thread (CUDA C++ Programming
// Guide, "Asynchronous SIMT Programming Model"). An async thread has a fiber and a clock of its
// own. It knows what its starter knew when it began, and runs when the schedule chooses it. Who has
// not waited for it races with it.
#pragma once

#include <cstdint>
#include <functional>

namespace simt {

/// For race reports: the missing wait, by what the async thread does to the memory.
struct async_wait {
  const char* for_reads;
  const char* for_writes;
};

struct async_work {
  std::function<void()> body;  ///< runs on the async thread; holds all that it needs
  const async_wait* wait = nullptr;
  /// Work that its starter waits for under one name. Null: its end is noticed in another way.
  const void* batch = nullptr;
  /// Shared memory of the block of the cluster that the async thread belongs to. Null: that of the
  /// starter.
  const void* home = nullptr;
};

/// Starts an async thread. If too many run, the calling thread waits until one has ended. A launch
/// ends after its async threads. Their accesses to the shared memory of an ended block are bad
/// ones.
void start_async_at(const void* site, async_work work);

/// Called by an async thread: all that it reads is read.
void end_async_reads();

/// What is waited for: the reads of the async threads, or all that they do.
enum class async_part : std::uint8_t { reads, all };

/// Waits for the async threads of the batch that the calling thread has started, and acquires.
void wait_for_async(const void* batch, async_part part);

/// A fence between the generic proxy and the asynchronous one. Async threads need it where they
/// read shared memory: between the plain write and their start. The fence of another thread will
/// do, if it lies between the two in causality order.
void proxy_fence();

}  // namespace simt
