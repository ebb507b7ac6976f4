// SPDX-License-Identifier: Apache-2.0
// The executor's API for running kernels: its side of finesync/device/.
#pragma once

#include <simt/operation.hpp>
#include <simt/thread.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace simt {

/// The running CUDA thread; null in host code.
inline thread_local thread* current = nullptr;
inline thread_local basic_block_watch watched;

/// Performs one operation, lets other threads run, and returns the value read.
word perform(const operation& op);

/// A collective among the lanes of `mask`; returns this lane's result. For a shuffle, `argument` is
/// the lane to read. For a match, the result is the mask of lanes with an equal value.
word warp_collective(collective kind, std::uint32_t mask, const word& value = {},
                     std::uint32_t argument = 0);

/// The lanes of the warp that happen to arrive here together (__activemask).
std::uint32_t converged_lanes();

/// Waits for all threads of the block and orders their memory accesses.
/// \returns how many of them passed true.
std::uint32_t block_barrier(bool vote = false);

/// Waits for all threads of the cluster that have not ended. A thread that leaves has acquired what
/// was released before the others arrived. With `order` acq_rel, an arrival is a release; with
/// relaxed it is not.
void cluster_barrier(memory_order order);

/// Arrives at a numbered barrier of the block, which opens when `threads` threads have arrived. A
/// thread that waits there has then acquired what all of them did before.
void named_barrier(std::uint32_t number, std::uint32_t threads, bool waits);

/// Begins a copy of 4, 8 or 16 bytes. Its target holds garbage until the thread waits for it, and
/// any access to the target, or write to the source, until then is reported as a race.
/// \param batch names the copies to wait for together.
void begin_copy(void* to, const void* from, std::size_t bytes, const void* batch);

/// The copies of the batch that the calling thread has begun take place now, as plain accesses.
void wait_for_copies(const void* batch);

/// For reports: the word counts arrivals (an mbarrier), and a phase ends after a fixed number.
void note_arrival_counter(const void* word, std::uint32_t arrivals_per_phase);

/// For reports of hangs: the calling thread, which polls, waits for an object in which it has
/// `seen` a number and wants another. Valid until it accesses anything else. \param where in the
/// object; null: unknown.
void note_wait(const void* where, std::uint64_t seen, std::uint64_t wanted);

/// For reports of races: from now on the calling thread holds the lock with this address, or does
/// not any more.
void note_lock(const void* lock, bool held);

// The same for an interpreter of kernels, which names the place in the kernel: an address that a
// function given to explain_sites_with() knows.
word perform_at(const void* site, const operation& op);
word warp_collective_at(const void* site, collective kind, std::uint32_t mask,
                        const word& value = {}, std::uint32_t argument = 0);
/// Waits for all lanes of the warp that exist; they must come from one site. The last to arrive
/// calls `once` with what each lane has brought (null of lanes that do not exist), before any of
/// them goes on. Orders no accesses. `once` performs no operation and does not throw.
using joint_work = void (*)(std::span<void* const, warp_size> of_lanes);
void warp_together_at(const void* site, void* brought, joint_work once);
std::uint32_t converged_lanes_at(const void* site);
std::uint32_t block_barrier_at(const void* site, bool vote = false);
void cluster_barrier_at(const void* site, memory_order order);
void named_barrier_at(const void* site, std::uint32_t number, std::uint32_t threads, bool waits);
void begin_copy_at(const void* site, void* to, const void* from, std::size_t bytes,
                   const void* batch);
void wait_for_copies_at(const void* site, const void* batch);
/// A branch backwards: loops without device operations come to an end.
void pass_loop_at(const void* site);

std::uint32_t cluster_blocks();
coordinates cluster_extents();
std::uint32_t cluster_rank();

/// The address, in the shared memory of the cluster's block `rank`, that corresponds to `own`.
void* in_block(void* own, std::uint32_t rank);

coordinates grid_blocks();
coordinates block_threads();
std::byte* shared_storage();

/// The clock: settings::clock_starts_ns, and the operations of this launch so far in nominal
/// nanoseconds, see launch_result.
std::uint64_t clock_ns();

}  // namespace simt
